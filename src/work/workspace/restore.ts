import { chmodSync, closeSync, mkdirSync, openSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { damaged } from '../../base/damaged.ts';
import { Fault } from '../../base/fault.ts';
import { startBlake3 } from '../../system/blake3.ts';
import { writeWhole } from '../../system/durable-file.ts';
import { readManifest } from './manifest-store.ts';
import { indexGitContents } from './git-contents.ts';
import { parseHead } from './manifest.ts';
import { restoreFromGit } from './restore-from-git.ts';
import { CONTENT_HINT, indexObjects, readObject, readLocation } from './object-store.ts';
import { packFolder } from './pack-writer.ts';
import { readSnapshot } from './read-snapshot.ts';
import { indexTreeContents, restoreFromTree } from './tree-contents.ts';
import type { WorkspaceContext } from './workspace.ts';

/**
 * Writes the state of a snapshot into an empty folder. Missing or corrupt content is E_DAMAGED, with `details.paths`; content that
 * only the repository or the tree had and no longer has is E_NOT_FOUND.
 */
export async function restore(context: WorkspaceContext, snapshotId: string, folder: string): Promise<void> {
  const manifest = readManifest(context, readSnapshot(context, snapshotId).hash);
  const objects = indexObjects(context);
  const entries = manifest.paths.map((path, index) => ({ path, ...parseHead(manifest.heads[index] ?? '') }));
  const inGit = indexGitContents(context);
  const inTree = indexTreeContents(context);
  const missing = entries.filter(
    ({ type, hash }) => type !== 'dir' && !objects.has(hash) && !inGit.has(hash) && !inTree.has(hash),
  );
  if (missing.length > 0) {
    throw new Fault('E_DAMAGED', `The content of ${missing.length} paths of the snapshot is missing.`, {
      hint: CONTENT_HINT,
      details: { path: packFolder(context), paths: missing.map(({ path }) => path) },
    });
  }
  for (const { path, type, mode, hash } of entries) {
    const full = join(folder, path);
    mkdirSync(type === 'dir' ? full : dirname(full), { recursive: true });
    if (type === 'symlink') symlinkSync(readObject(context, hash, objects).toString('utf8'), full);
    else if (type === 'file' && objects.has(hash)) writeObject(full, hash, objects.get(hash));
    else if (type === 'file') continue;
    if (type !== 'symlink') chmodSync(full, mode);
  }
  const fromGit = entries.flatMap((entry) => {
    const content = entry.type === 'file' && !objects.has(entry.hash) ? inGit.get(entry.hash) : undefined;
    return content === undefined ? [] : [{ ...entry, ...content }];
  });
  const fromTree = entries.flatMap((entry) => {
    const isElsewhere = entry.type !== 'file' || objects.has(entry.hash) || inGit.has(entry.hash);
    return isElsewhere ? [] : [{ ...entry, found: inTree.get(entry.hash) ?? [] }];
  });
  restoreFromTree(fromTree, folder);
  await restoreFromGit(context, fromGit, folder);
}

function writeObject(
  full: string,
  hash: string,
  location: Parameters<typeof readLocation>[0] | undefined,
): void {
  const running = startBlake3();
  const file = openSync(full, 'wx', 0o600);
  try {
    for (const piece of location === undefined ? [] : readLocation(location)) {
      running.update(piece);
      writeWhole(file, piece);
    }
  } finally {
    closeSync(file);
  }
  if (running.hex() !== hash)
    throw damaged(location?.path ?? full, `content ${hash} differs from its hash`, CONTENT_HINT);
}
