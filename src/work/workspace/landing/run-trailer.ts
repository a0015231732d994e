import { runGit } from '../git.ts';
import type { WorkspaceContext } from '../workspace.ts';

/** The trailer of a commit that names its run. */
export const RUN_TRAILER = 'Deed-Run';

/** Finds the commit of a run in the history of a revision. */
export async function findRunCommit(
  context: WorkspaceContext,
  root: string,
  { revision, runId }: { readonly revision: string; readonly runId: string },
): Promise<string | undefined> {
  const { output } = await runGit(
    context,
    ['log', '-1', '--format=%H', '--fixed-strings', `--grep=${RUN_TRAILER}: ${runId}`, revision, '--'],
    { cwd: root },
  );
  return output.toString('utf8').trim() || undefined;
}
