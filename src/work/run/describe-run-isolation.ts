import type { WorkItem } from '../item/work-item.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Describes how the commands of a run are confined, for progress lines. */
export function describeRunIsolation(
  { isolation, mode }: Pick<Workspace, 'isolation' | 'mode'>,
  { network = true }: Pick<WorkItem, 'network'>,
): string {
  const how = isolation === 'none' ? 'UNSANDBOXED on a copy of the tree' : `${isolation}, ${mode}`;
  return `${how}, network ${network ? 'on' : 'off'}`;
}
