import { chmodSync, closeSync, mkdirSync, openSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { damaged } from '../../base/damaged.ts';
import { Fault } from '../../base/fault.ts';
import { startBlake3 } from '../../base/blake3.ts';
import { writeWhole } from '../../system/durable-file.ts';
import { readManifest } from './manifest-store.ts';
import { parseHead } from './manifest.ts';
import { CONTENT_HINT, indexObjects, readObject, readLocation } from './object-store.ts';
import { packFolder } from './pack-writer.ts';
import { readSnapshot } from './read-snapshot.ts';
import type { WorkspaceContext } from './workspace.ts';

/** Writes the state of a snapshot into an empty folder. Missing or corrupt content is E_DAMAGED, with `details.paths`. */
export function restore(context: WorkspaceContext, snapshotId: string, folder: string): void {
  const manifest = readManifest(context, readSnapshot(context, snapshotId).hash);
  const objects = indexObjects(context);
  const entries = manifest.paths.map((path, index) => ({ path, ...parseHead(manifest.heads[index] ?? '') }));
  const missing = entries.filter(({ type, hash }) => type !== 'dir' && !objects.has(hash));
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
    else if (type === 'file') writeObject(full, hash, objects.get(hash));
    if (type !== 'symlink') chmodSync(full, mode);
  }
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
