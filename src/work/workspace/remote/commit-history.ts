import { runGit } from '../git.ts';
import type { WorkspaceContext } from '../workspace.ts';

/** A commit and its parents. */
export interface HistoryCommit {
  readonly id: string;
  readonly parents: readonly string[];
}

/** Lists the commits of a history with one process, oldest first; with `after`, only those that it does not have. */
export async function listHistory(
  context: WorkspaceContext,
  root: string,
  { tip, after }: { readonly tip: string; readonly after?: string | undefined },
): Promise<readonly HistoryCommit[]> {
  const range = after === undefined ? [tip] : [tip, `^${after}`];
  const { output } = await runGit(
    context,
    ['rev-list', '--reverse', '--topo-order', '--parents', ...range, '--'],
    {
      cwd: root,
    },
  );
  const lines = output.toString('utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const [id = '', ...parents] = line.split(' ');
    return { id, parents };
  });
}

/** Whether `descendant` is the commit itself, or has it in its history. */
export async function isAncestor(
  context: WorkspaceContext,
  root: string,
  { commit, descendant }: { readonly commit: string; readonly descendant: string },
): Promise<boolean> {
  const { exitCode } = await runGit(context, ['merge-base', '--is-ancestor', commit, descendant], {
    cwd: root,
    accept: [1, 128],
  });
  return exitCode === 0;
}

/** Whether the clone leaves out older commits. */
export async function isShallow(context: WorkspaceContext, root: string): Promise<boolean> {
  const { output } = await runGit(context, ['rev-parse', '--is-shallow-repository'], { cwd: root });
  return output.toString('utf8').trim() === 'true';
}
