import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { Fleet } from '../../work/fleet/fleet.ts';
import { locateTree } from '../../work/plan/create-job.ts';
import type { WorkContext } from '../../work/work-context.ts';
import { readRemote } from '../../work/workspace/landing/push-branch.ts';

/** Returns the clone that contains a folder, and the address of its remote. */
export async function openRemote(
  { system }: Pick<CommandContext, 'system'>,
  work: WorkContext,
  folder: string,
): Promise<Fleet['remote']> {
  const { root } = await locateTree(work, resolve(system.cwd, folder));
  const found = await readRemote(work.workspace, root);
  if (found === undefined)
    throw new Fault('E_CONFIG', `${root} has no git remote through which hosts could exchange items.`, {
      hint: 'Use a clone that has one remote, or a remote with the name origin.',
      details: { field: 'root', path: root },
    });
  return { root, url: found.url, workspace: work.workspace };
}
