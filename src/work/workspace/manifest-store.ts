import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { blake3Hex } from '../../system/blake3.ts';
import { Fault } from '../../base/fault.ts';
import { unlessDamaged } from '../../base/damaged.ts';
import { writeFileDurably } from '../../system/durable-file.ts';
import { readOwnBytes } from '../../system/own-file.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { parseManifest, renderManifest, type Manifest } from './manifest.ts';
import type { WorkspaceContext } from './workspace.ts';

/** Stores a manifest under its hash unless it exists. */
export function storeManifest(context: WorkspaceContext, manifest: Manifest): string {
  const bytes = renderManifest(manifest);
  const hash = blake3Hex(bytes);
  const path = manifestPath(context, hash);
  if (!existsSync(path)) {
    ensurePrivateFolder(join(context.folder, 'manifests'));
    writeFileDurably(path, bytes);
  }
  return hash;
}

/** Reads a manifest. Its name is its hash, so that damage on disk is found. */
export function readManifest(context: WorkspaceContext, hash: string): Manifest {
  const path = manifestPath(context, hash);
  const bytes = unlessDamaged(() => readOwnBytes(path, { maxBytes: Infinity, hint: '' }));
  if (bytes !== undefined && blake3Hex(bytes) === hash) return parseManifest(bytes);
  throw new Fault('E_DAMAGED', `The manifest of state ${hash} is missing or damaged.`, {
    hint: `Restore ${path} from a backup of the home; runs that started from this state cannot be rolled back or replayed without it.`,
    details: { hash, path },
  });
}

export function manifestPath(context: WorkspaceContext, hash: string): string {
  return join(context.folder, 'manifests', hash);
}
