import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { randomId } from '../../base/ids.ts';
import { systemCode } from '../../base/system-fault.ts';
import {
  compareWithBlob,
  indexGitContents,
  listBlobs,
  writeGitContents,
  type GitContent,
} from './git-contents.ts';
import { parseHead, type Manifest } from './manifest.ts';
import { indexObjects } from './object-store.ts';
import { openPackWriter } from './pack-writer.ts';
import { readContent } from './read-content.ts';
import { indexTreeContents, writeTreeContents } from './tree-contents.ts';
import type { WorkspaceContext } from './workspace.ts';

/** System errors of an entry that was deleted or replaced meanwhile. */
export const CHANGED_CODES: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'EISDIR']);

/** More than this is not copied into the home if git has it; a replay then needs the repository. */
const LARGE_BYTES = 256 * 1024 * 1024;
/** Of a large tree, files that git does not have are copied if they are not larger than this, up to a total: agents change small files, and so do people. */
const SMALL_FILE_BYTES = 1024 * 1024;
const SMALL_FILES_BYTES = 64 * 1024 * 1024;
/** A blob is read into memory as a whole. */
const MAX_BLOB_BYTES = 256 * 1024 * 1024;

/**
 * Stores the base of a run for replays. Of a large tree, what its repository has and large files that only the tree has are named, not copied: a
 * promotion copies every file before it changes it, and a replay notices if others have changed one.
 */
export async function storeBase(
  context: WorkspaceContext,
  root: string,
  manifest: Manifest,
  largeBytes = LARGE_BYTES,
): Promise<boolean> {
  const known = indexGitContents(context);
  const stored = indexObjects(context);
  const inTree = indexTreeContents(context);
  const isNamed = (hash: string, path = ''): boolean =>
    inTree.get(hash)?.some((file) => file.root === root && file.path === path) === true;
  const missing = manifest.heads
    .map(parseHead)
    .filter(
      ({ hash }, index) => !known.has(hash) && !stored.has(hash) && !isNamed(hash, manifest.paths[index]),
    );
  const isLarge = missing.reduce((bytes, { size }) => bytes + size, 0) > largeBytes;
  const blobs = isLarge ? await listBlobs(context, root) : new Map<string, string>();
  return storeContents(context, root, manifest, { known, blobs, isNamed, namesFiles: isLarge });
}

/** What the repository of a tree has: contents that are recorded already, and blobs by path; and what only the tree has. */
interface Elsewhere {
  readonly known: ReadonlyMap<string, GitContent>;
  readonly blobs: ReadonlyMap<string, string>;
  /** Whether a content is recorded as the content of a file of this tree. */
  readonly isNamed: (hash: string, path: string) => boolean;
  /** Whether large files that git does not have are named instead of copied. */
  readonly namesFiles: boolean;
}

const NOTHING_ELSEWHERE: Elsewhere = {
  known: new Map(),
  blobs: new Map(),
  isNamed: () => false,
  namesFiles: false,
};

/**
 * Stores the content of every file and the target of every symlink of a manifest that is not stored yet. False if the tree no longer
 * matches the manifest; then nothing is stored.
 */
export function storeContents(
  context: WorkspaceContext,
  root: string,
  manifest: Manifest,
  { known, blobs, isNamed, namesFiles }: Elsewhere = NOTHING_ELSEWHERE,
): boolean {
  const stored = new Set([...indexObjects(context).keys(), ...known.keys()]);
  const inGit = new Map<string, string>();
  const inTree = new Map<string, string>();
  let smallBytes = 0;
  const pack = openPackWriter(context, `snapshot-${randomId()}`);
  try {
    for (const [index, path] of manifest.paths.entries()) {
      const entry = parseHead(manifest.heads[index] ?? '');
      if (entry.type === 'dir' || stored.has(entry.hash)) continue;
      const blob = entry.type === 'file' && entry.size <= MAX_BLOB_BYTES ? blobs.get(path) : undefined;
      const compared = blob && compareWithBlob(join(root, path), { size: entry.size, blob });
      if (blob && compared && compared.isEqual && compared.hash === entry.hash) {
        inGit.set(entry.hash, blob);
        stored.add(entry.hash);
        continue;
      }
      if (entry.type === 'file') {
        const full = join(root, path);
        const isSmall = entry.size <= SMALL_FILE_BYTES && smallBytes + entry.size <= SMALL_FILES_BYTES;
        if (isNamed(entry.hash, path) || (namesFiles && !isSmall)) {
          if (!isFileOfSize(full, entry.size)) {
            pack.abandon();
            return false;
          }
          if (!isNamed(entry.hash, path)) inTree.set(path, entry.hash);
          continue;
        }
        if (namesFiles) smallBytes += entry.size;
      }
      const object = pack.begin();
      for (const piece of readContent(join(root, path), entry.type)) object.write(piece);
      const hash = object.end();
      if (hash !== entry.hash) {
        pack.abandon();
        return false;
      }
      stored.add(hash);
    }
    pack.finish();
    writeGitContents(context, root, inGit);
    writeTreeContents(context, root, inTree);
    return true;
  } catch (error) {
    pack.abandon();
    // Deleted or replaced by another type of entry.
    if (CHANGED_CODES.has(systemCode(error) ?? '')) return false;
    throw error;
  }
}

function isFileOfSize(path: string, size: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size === size;
}
