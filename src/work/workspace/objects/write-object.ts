import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { faultFromSystem, systemCode } from '../../../base/system-fault.ts';
import { writeFileDurably } from '../../../system/durable-file.ts';
import { uniqueName } from '../../../system/unique-name.ts';
import { runGit } from '../git.ts';
import { findGitAccount } from '../git-account.ts';
import type { WorkspaceContext } from '../workspace.ts';
import { findObjects } from './find-objects.ts';

export type ObjectType = 'blob' | 'tree' | 'commit';

/** Git compresses larger ones, so that this process can respond meanwhile. */
const MAX_BYTES = 1024 * 1024;

/** Writes an object into the repository of a tree and returns its id, as `git hash-object -w` does, but without a process for each of them. */
export async function writeObject(
  context: Pick<WorkspaceContext, 'env'>,
  root: string,
  type: ObjectType,
  content: Uint8Array,
): Promise<string> {
  // Root does not write into the repository of another account by itself: a link in it could lead anywhere.
  const isForeign = findGitAccount(root, context.env.PATH ?? '').argv.length > 0;
  if (isForeign || content.length > MAX_BYTES) return hashWithGit(context, root, type, content);
  const { folder, algorithm } = await findObjects(context, root);
  const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const id = createHash(algorithm).update(bytes).digest('hex');
  writeLoose(folder, id, bytes);
  return id;
}

/** Writes a loose object. An existing one gets a new modification time, so that the cleanup of git does not delete it as unreferenced. */
function writeLoose(objects: string, id: string, bytes: Buffer): void {
  const folder = join(objects, id.slice(0, 2));
  const path = join(folder, id.slice(2));
  if (touch(path)) return;
  createLike(objects, folder);
  // Git uses such names while it writes an object, and deletes files with such names that killed processes left.
  const temporary = join(folder, `tmp_obj_${uniqueName()}`);
  writeFileDurably(path, deflateSync(bytes), { mode: 0o444, temporary });
}

/** Creates a folder with the mode of another one, which may be shared by a group. */
function createLike(example: string, folder: string): void {
  try {
    if (mkdirSync(folder, { recursive: true }) !== undefined)
      chmodSync(folder, statSync(example).mode & 0o7777);
  } catch (error) {
    throw faultFromSystem(error, 'create', folder);
  }
}

function touch(path: string): boolean {
  const now = new Date();
  try {
    utimesSync(path, now, now);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw faultFromSystem(error, 'write', path);
  }
}

async function hashWithGit(
  context: Pick<WorkspaceContext, 'env'>,
  root: string,
  type: ObjectType,
  content: Uint8Array,
): Promise<string> {
  const args = ['hash-object', '-t', type, '-w', '--stdin'];
  const { output } = await runGit(context, args, { cwd: root, input: content });
  return output.toString('utf8').trim();
}
