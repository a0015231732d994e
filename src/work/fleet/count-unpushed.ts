import { runGit } from '../workspace/git.ts';
import { branchRef } from '../workspace/landing/read-branch.ts';
import type { Fleet } from './fleet.ts';

/** How many commits of a branch of this clone its tip in the remote does not have; 0 if the clone has no such branch, or not the tip. */
export async function countUnpushed(
  { work, remote }: Pick<Fleet, 'work' | 'remote'>,
  branch: string,
  tip: string,
): Promise<number> {
  const args = ['rev-list', '--count', `${tip}..${branchRef(branch)}`];
  const { exitCode, output } = await runGit(work.workspace, args, { cwd: remote.root, accept: [128] });
  return exitCode === 0 ? Number(output.toString('utf8')) : 0;
}
