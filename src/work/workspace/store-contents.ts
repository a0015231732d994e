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
import type { WorkspaceContext } from './workspace.ts';

/** System errors of an entry that was deleted or replaced meanwhile. */
export const CHANGED_CODES: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'EISDIR']);

/** More than this is not copied into the home if git has it; a replay then needs the repository. */
const LARGE_BYTES = 256 * 1024 * 1024;
/** A blob is read into memory as a whole. */
const MAX_BLOB_BYTES = 256 * 1024 * 1024;

/** Stores the base of a run for replays: of a large tree, only what its repository does not have. */
export async function storeBase(
  context: WorkspaceContext,
  root: string,
  manifest: Manifest,
  largeBytes = LARGE_BYTES,
): Promise<boolean> {
  const known = indexGitContents(context);
  const stored = indexObjects(context);
  const missing = manifest.heads.map(parseHead).filter(({ hash }) => !known.has(hash) && !stored.has(hash));
  const isLarge = missing.reduce((bytes, { size }) => bytes + size, 0) > largeBytes;
  const blobs = isLarge ? await listBlobs(context, root) : new Map<string, string>();
  return storeContents(context, root, manifest, { known, blobs });
}

/** What the repository of a tree has: contents that are recorded already, and blobs by path. */
interface InGit {
  readonly known: ReadonlyMap<string, GitContent>;
  readonly blobs: ReadonlyMap<string, string>;
}

const NOTHING_IN_GIT: InGit = { known: new Map(), blobs: new Map() };

/**
 * Stores the content of every file and the target of every symlink of a manifest that is not stored yet. False if the tree no longer
 * matches the manifest; then nothing is stored.
 */
export function storeContents(
  context: WorkspaceContext,
  root: string,
  manifest: Manifest,
  { known, blobs }: InGit = NOTHING_IN_GIT,
): boolean {
  const stored = new Set([...indexObjects(context).keys(), ...known.keys()]);
  const inGit = new Map<string, string>();
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
    return true;
  } catch (error) {
    pack.abandon();
    // Deleted or replaced by another type of entry.
    if (CHANGED_CODES.has(systemCode(error) ?? '')) return false;
    throw error;
  }
}
