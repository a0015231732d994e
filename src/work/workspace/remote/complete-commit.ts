import { rememberFor } from '../../../base/remember-for.ts';
import { runGit } from '../git.ts';
import type { WorkspaceContext } from '../workspace.ts';
import type { RemotePlace } from './remote-refs.ts';
import { askRemote } from './run-remote-git.ts';

/** How long the name of the remote is remembered. */
const REMEMBERED_MS = 30_000;

/** In a partial clone, fetches the files of a commit that the clone does not have, in one request. */
export async function completeCommit(
  context: WorkspaceContext,
  { root }: Pick<RemotePlace, 'root'>,
  commit: string,
): Promise<void> {
  const name = await findPromisor(context, root);
  if (name === undefined) return;
  const { output } = await runGit(
    context,
    ['rev-list', '--objects', '--no-walk', '--missing=print', '--no-object-names', commit],
    { cwd: root },
  );
  const missing = output
    .toString('utf8')
    .split('\n')
    .flatMap((line) => (line.startsWith('?') ? [line.slice(1)] : []));
  if (missing.length === 0) return;
  // The flags that git itself uses to fetch missing objects: no negotiation, and not the objects that the missing objects refer to.
  const args = [
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    '--filter=blob:none',
    '--stdin',
  ];
  await askRemote(
    context,
    ['-c', 'fetch.negotiationAlgorithm=noop', 'fetch', '-q', '--upload-pack=git-upload-pack', ...args, name],
    { cwd: root, input: missing.map((object) => `${object}\n`).join('') },
  );
}

/** Finds the remote from which a partial clone gets missing objects; undefined for a full clone. Whether a clone is partial does not change while it is used. */
const findPromisor = rememberFor(
  REMEMBERED_MS,
  (_context: WorkspaceContext, root: string) => root,
  readPromisor,
);

async function readPromisor(context: WorkspaceContext, root: string): Promise<string | undefined> {
  const { output } = await runGit(
    context,
    ['config', '--name-only', '--get-regexp', '^remote\\..*\\.promisor$'],
    {
      cwd: root,
      accept: [1],
    },
  );
  return /^remote\.(.*)\.promisor$/mu.exec(output.toString('utf8'))?.[1];
}
