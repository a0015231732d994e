import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { removeFolder } from '../../../system/remove-folder.ts';
import { findGitAccount } from '../git-account.ts';
import { rememberedTree } from '../remembered-tree.ts';
import type { WorkspaceContext } from '../workspace.ts';
import { FETCH, type RemotePlace } from './remote-refs.ts';
import { askRemote } from './run-remote-git.ts';

const BRANCHES = 'refs/heads/';

/**
 * Fetches refs of the remote, and returns the commit of each, in one request: to list them first would be another one, in which git gets
 * every ref of the remote. No ref of the clone moves. Undefined if that fails, for example because one does not exist: a list
 * says what is there, or why the remote does not answer.
 */
export async function fetchNamedRefs(
  context: WorkspaceContext,
  { root, url }: RemotePlace,
  refs: readonly string[],
): Promise<ReadonlyMap<string, string> | undefined> {
  // The folder below belongs to this account, and git runs as the owner of the clone.
  const isForeign = findGitAccount(root, context.env.PATH ?? '').argv.length > 0;
  if (isForeign || refs.length === 0) return undefined;
  const { commonFolder } = await rememberedTree(context, root);
  // Git writes what it fetched into a file of the git folder. A separate git folder, such as a working tree has, keeps parallel fetches apart.
  const folder = mkdtempSync(join(context.temporaryFolder, 'deed-fetch-'));
  try {
    writeFileSync(join(folder, 'HEAD'), `ref: ${BRANCHES}none\n`);
    // The variable GIT_COMMON_DIR is not sufficient: git would not offer the refs of the clone to the remote, and would fetch everything again.
    writeFileSync(join(folder, 'commondir'), `${commonFolder}\n`);
    await askRemote(context, [...FETCH, '--', url, ...refs], { cwd: root, env: { GIT_DIR: folder } });
    return parseFetched(readFileSync(join(folder, 'FETCH_HEAD'), 'utf8'), refs);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  } finally {
    removeFolder(folder);
  }
}

/** Each line has a commit, an empty word, and the ref with the address of the remote. */
function parseFetched(text: string, refs: readonly string[]): ReadonlyMap<string, string> | undefined {
  const lines = text.split('\n').map((line) => line.split('\t'));
  const found = refs.flatMap((ref) => {
    const start = `${ref.startsWith(BRANCHES) ? `branch '${ref.slice(BRANCHES.length)}'` : `'${ref}'`} of `;
    const [commit] = lines.find(([, , source]) => source?.startsWith(start)) ?? [];
    return commit === undefined ? [] : [[ref, commit] as const];
  });
  return found.length === refs.length ? new Map(found) : undefined;
}
