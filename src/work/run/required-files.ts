import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { treePath, type WorkItem } from '../item/work-item.ts';
import type { TreeChange } from '../workspace/workspace.ts';

/** Returns the input files of an item that do not exist. */
export function absentInputs({ input_files }: WorkItem, root: string): readonly string[] {
  return (input_files ?? []).map(treePath).filter((path) => !existsSync(join(root, path)));
}

/** Checks that the input files of an item exist. */
export function assertInputs(item: WorkItem, root: string): void {
  const { id } = item;
  const missing = absentInputs(item, root);
  if (missing.length === 0) return;
  throw new Fault('E_NOT_FOUND', `Input files are missing: ${missing.join(', ')}`, {
    hint: `Add them, or fix input_files of "${id}".`,
    details: { field: 'input_files', missing },
  });
}

/** Returns the declared output files that would be missing from the tree after the changes. */
export function missingOutputs(
  { output_files }: WorkItem,
  root: string,
  changes: readonly TreeChange[],
): readonly string[] {
  return (output_files ?? []).map(treePath).filter((path) => {
    const within = changes.filter((change) => change.path === path || change.path.startsWith(`${path}/`));
    if (within.some(({ action }) => action !== 'delete')) return false;
    if (within.some((change) => change.path === path)) return true;
    return !existsSync(join(root, path));
  });
}
