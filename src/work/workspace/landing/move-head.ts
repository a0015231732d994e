import { Fault } from '../../../base/fault.ts';
import { runGit } from '../git.ts';
import { splitZero } from '../list-visible.ts';
import type { TreeChange, WorkspaceContext } from '../workspace.ts';
import { listCommitted } from './compare-commit.ts';
import { updateIndex } from './update-index.ts';
import type { Identity } from '../objects/commit-object.ts';

export interface MoveRequest {
  readonly root: string;
  readonly gitFolder: string;
  readonly commit: string;
  readonly parent: string;
  readonly runId: string;
  readonly author: Identity;
  readonly changes: readonly TreeChange[];
}

/**
 * Moves HEAD to a commit and its paths in the index. The index is first: a process that is killed in between leaves the changes staged.
 * A path that is staged with other content, and a HEAD that moved meanwhile, are E_CONFLICT.
 */
export async function moveHead(context: WorkspaceContext, request: MoveRequest): Promise<void> {
  const { root, gitFolder, commit, parent, runId, author, changes } = request;
  const paths = changes.map(({ path }) => path);
  const [old, now, staged] = await Promise.all([
    listCommitted(context, root, parent, paths),
    listCommitted(context, root, commit, paths),
    listStaged(context, root, paths),
  ]);
  const different = paths.filter((path) => {
    const object = staged.get(path);
    return object !== old.get(path)?.object && object !== now.get(path)?.object;
  });
  if (different.length > 0)
    throw new Fault('E_CONFLICT', `Staged with other content: ${different.join(', ')}.`, {
      hint: 'Unstage these files: git restore --staged <file>',
      details: { paths: different },
    });
  const zeros = '0'.repeat(commit.length);
  const lines = paths.map((path) => {
    const entry = now.get(path);
    return entry === undefined ? `0 ${zeros}\t${path}\0` : `${entry.mode} ${entry.object}\t${path}\0`;
  });
  // Deletions first, because a folder may replace a file of the same name.
  const input = lines
    .toSorted((left, right) => Number(left.startsWith('1')) - Number(right.startsWith('1')))
    .join('');
  await updateIndex(context, { root, gitFolder, input });
  const env = { GIT_COMMITTER_NAME: author.name, GIT_COMMITTER_EMAIL: author.email };
  const args = ['update-ref', '-m', `deed: ${runId}`, 'HEAD', commit, parent];
  const { exitCode } = await runGit(context, args, { cwd: root, env, accept: [1, 128] });
  if (exitCode === 0) return;
  throw new Fault('E_CONFLICT', `HEAD is no longer at ${parent}.`, {
    hint: 'Run the command again.',
    details: { expected: parent },
  });
}

async function listStaged(
  context: WorkspaceContext,
  root: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const args = ['--literal-pathspecs', 'ls-files', '-s', '-z', '--', ...paths];
  const { output } = await runGit(context, args, { cwd: root });
  return new Map(
    splitZero(output).map((line) => {
      const tab = line.indexOf('\t');
      return [line.slice(tab + 1), line.slice(0, tab).split(' ')[1] ?? ''];
    }),
  );
}
