import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { ensurePrivateFolder } from '../../../system/private-folder.ts';
import { removeFolder } from '../../../system/remove-folder.ts';
import { runGit } from '../git.ts';
import { splitZero } from '../list-visible.ts';
import type { ContentSource } from '../promotion/subtree.ts';
import type { TreeChange, WorkspaceContext } from '../workspace.ts';

/** A person or program in the header of a commit. */
export interface Identity {
  readonly name: string;
  readonly email: string;
}

export interface CommitRequest {
  /** A working tree of the repository that gets the objects. */
  readonly root: string;
  readonly parent: string;
  readonly changes: readonly TreeChange[];
  readonly source: ContentSource;
  readonly author: Identity;
  readonly message: string;
  readonly atMs: number;
}

/**
 * Writes a commit with these changes on top of its parent into a repository, and returns its id. No branch, index or file changes:
 * until a ref names the commit, git deletes it in time.
 */
export async function writeCommit(context: WorkspaceContext, request: CommitRequest): Promise<string> {
  const { root, parent } = request;
  ensurePrivateFolder(context.folder);
  const folder = mkdtempSync(join(context.folder, 'commit-'));
  const env = { GIT_INDEX_FILE: join(folder, 'index'), ...identityVariables(request) };
  try {
    await runGit(context, ['read-tree', parent], { cwd: root, env });
    await assertNoSubmodule(context, request, env);
    const input = await renderIndex(context, request, folder);
    await runGit(context, ['update-index', '-z', '--index-info'], { cwd: root, env, input });
    const { output } = await runGit(context, ['write-tree'], { cwd: root, env });
    const tree = output.toString('utf8').trim();
    const commit = await runGit(
      context,
      ['-c', 'i18n.commitEncoding=utf-8', 'commit-tree', '--no-gpg-sign', '-p', parent, '-F', '-', tree],
      { cwd: root, env, input: request.message },
    );
    return commit.output.toString('utf8').trim();
  } finally {
    removeFolder(folder);
  }
}

/** Stores the contents as blobs, without filters, and renders the lines of the index. */
async function renderIndex(
  context: WorkspaceContext,
  { root, parent, changes, source }: CommitRequest,
  folder: string,
): Promise<string> {
  const written = changes.flatMap(({ path, after }) =>
    after === undefined || after.type === 'dir' ? [] : [{ path, after }],
  );
  for (const [index, { path, after }] of written.entries()) {
    const pieces = [...source(path, after)].map((piece) => Buffer.from(piece));
    writeFileSync(join(folder, `blob-${index}`), Buffer.concat(pieces), { mode: 0o600 });
  }
  const { output } = await runGit(context, ['hash-object', '-w', '--no-filters', '--stdin-paths'], {
    cwd: root,
    input: written.map((_, index) => `${join(folder, `blob-${index}`)}\n`).join(''),
  });
  const objects = output.toString('utf8').split('\n');
  const deleted = changes.filter(({ action, type }) => action === 'delete' && type !== 'dir');
  const zeros = '0'.repeat(parent.length);
  return [
    // First, because a folder may replace a file of the same name.
    ...deleted.map(({ path }) => `0 ${zeros}\t${path}\0`),
    ...written.map(({ path, after }, index) => `${gitMode(after)} ${objects[index]}\t${path}\0`),
  ].join('');
}

function gitMode({ type, mode }: NonNullable<TreeChange['after']>): string {
  if (type === 'symlink') return '120000';
  return (mode & 0o100) === 0 ? '100644' : '100755';
}

/** A change inside a submodule would replace the submodule by a folder. */
async function assertNoSubmodule(
  context: WorkspaceContext,
  { root, changes }: CommitRequest,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const { output } = await runGit(context, ['ls-files', '-s', '-z'], { cwd: root, env });
  const modules = splitZero(output).flatMap((line) =>
    line.startsWith('160000') ? [line.slice(line.indexOf('\t') + 1)] : [],
  );
  const inside = changes.find(({ path }) =>
    modules.some((name) => path === name || path.startsWith(`${name}/`)),
  );
  if (inside === undefined) return;
  throw new Fault('E_DENIED', `${inside.path} is in a submodule, which a branch cannot change.`, {
    hint: 'Run the item in the repository of the submodule.',
    details: { reason: 'invariant_violated', path: inside.path },
  });
}

/** The variables by which git gets author, committer and date of a commit. */
export function identityVariables({
  author,
  atMs,
}: Pick<CommitRequest, 'author' | 'atMs'>): Record<string, string> {
  const date = `${Math.floor(atMs / 1000)} +0000`;
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: author.name,
    GIT_COMMITTER_EMAIL: author.email,
    GIT_COMMITTER_DATE: date,
  };
}
