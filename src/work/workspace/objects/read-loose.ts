import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { findGitAccount } from '../git-account.ts';
import type { WorkspaceContext } from '../workspace.ts';
import { parseCommitObject } from './commit-object.ts';
import { findObjects } from './find-objects.ts';
import type { ReadObject } from './read-objects.ts';
import { parseTreeObject } from './tree-object.ts';

/** Git decompresses larger ones, so that this process can respond meanwhile. */
const MAX_BYTES = 1024 * 1024;
/** Git reads longer lists for the same reason. */
const MAX_NAMES = 100;
const NAME = /^([0-9a-f]{40}|[0-9a-f]{64})(?::([^\n/]+))?$/u;
const HEADER = /^(\w+) (\d+)\0/u;

/**
 * Reads objects that git keeps as separate files, as it does with those that were just written or fetched: by id, or
 * `<commit>:<file>`. Contract: what is not found here may still be in the repository, so the caller asks git for it.
 */
export async function readLoose(
  context: Pick<WorkspaceContext, 'env'>,
  root: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, ReadObject>> {
  // Root does not read the repository of another account by itself: a link in it could lead anywhere.
  const isForeign = findGitAccount(root, context.env.PATH ?? '').argv.length > 0;
  if (isForeign || names.length === 0 || names.length > MAX_NAMES) return new Map();
  const { folder } = await findObjects(context, root);
  return new Map(
    names.flatMap((name) => {
      const [, id, file] = NAME.exec(name) ?? [];
      const object = id === undefined ? undefined : readObject(folder, id);
      const found = object && file !== undefined ? readFileOf(folder, object, file) : object;
      return found === undefined ? [] : [[name, found] as const];
    }),
  );
}

function readFileOf(folder: string, commit: ReadObject, file: string): ReadObject | undefined {
  if (commit.type !== 'commit') return undefined;
  const tree = readObject(folder, parseCommitObject(commit.content).tree);
  if (tree?.type !== 'tree') return undefined;
  const entry = parseTreeObject(tree.content, commit.id.length).get(Buffer.from(file).toString('latin1'));
  return entry && readObject(folder, entry.id);
}

function readObject(folder: string, id: string): ReadObject | undefined {
  try {
    const compressed = readSmall(join(folder, id.slice(0, 2), id.slice(2)));
    if (compressed === undefined) return undefined;
    const bytes = inflateSync(compressed, { maxOutputLength: MAX_BYTES });
    const [header = '', type = '', size] = HEADER.exec(bytes.toString('latin1', 0, 32)) ?? [];
    const content = bytes.subarray(header.length);
    return content.length === Number(size) ? { id, type, content } : undefined;
  } catch {
    // Missing, too large or damaged: git finds the object in a pack, or reports the problem.
    return undefined;
  }
}

/** The file may be a link or a named pipe in a repository that someone prepared. */
function readSmall(path: string): Buffer | undefined {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    return stat.isFile() && stat.size <= MAX_BYTES ? readFileSync(file) : undefined;
  } finally {
    closeSync(file);
  }
}
