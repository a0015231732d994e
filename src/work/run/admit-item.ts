import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { splitLines } from '../../base/align-lines.ts';
import type { Admission } from '../admission/check-admission.ts';
import type { LineChange } from '../admission/check-lines.ts';
import type { WorkItem } from '../item/work-item.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import type { TreeChange, Workspace } from '../workspace/workspace.ts';
import { isCounted } from './capsule-of.ts';
import { collectContent } from '../workspace/read-content.ts';

/** Applies the rules of an item about paths and lines; loads the pattern engine only for items that have some. */
export async function admitItem(
  item: WorkItem,
  changes: readonly TreeChange[],
  workspace: Workspace,
): Promise<Admission> {
  const counted = changes.filter(isCounted);
  if (item.paths !== undefined) {
    const { checkPaths } = await import('../admission/check-paths.ts');
    const reason = checkPaths(
      item.paths,
      counted.map(({ path }) => path),
    );
    if (reason !== undefined) return { ok: false, reason, denial: 'invariant_violated' };
  }
  if (item.max_lines === undefined && item.forbid === undefined) return { ok: true };
  const { checkLines } = await import('../admission/check-lines.ts');
  return checkLines(
    item,
    counted.map((change) => readLineChange(change, workspace)),
  );
}

function readLineChange({ path, before, after }: TreeChange, workspace: Workspace): LineChange {
  const read = (): Buffer => collectContent(workspace.readContent(path, after ?? EMPTY));
  return {
    path,
    before:
      before?.type === 'file' ? linesOf(before.size, () => readLive(join(workspace.base.root, path))) : [],
    after: after?.type === 'file' ? linesOf(after.size, read) : [],
  };
}

const EMPTY = { type: 'file', mode: 0o644, hash: '', size: 0 } as const;

/** The lines of a text; none for other content, undefined for a file that is too large. */
function linesOf(bytes: number, read: () => Buffer): readonly string[] | undefined {
  if (bytes > WORK_LIMITS.lineBytes) return undefined;
  const content = read();
  return content.includes(0) ? [] : splitLines(content.toString('utf8'));
}

/** The file may have been deleted meanwhile; then the run conflicts with that later. */
function readLive(path: string): Buffer {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path) : Buffer.alloc(0);
}
