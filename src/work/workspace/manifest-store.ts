import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blake3Hex } from '../../base/blake3.ts';
import { Fault } from '../../base/fault.ts';
import { writeFileDurably } from '../../system/durable-file.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { parseManifest, renderManifest, type Manifest } from './manifest.ts';
import type { WorkspaceWorld } from './workspace.ts';

/** Keeps a manifest under its hash; one that is kept already costs a look. */
export function keepManifest(world: WorkspaceWorld, manifest: Manifest): string {
  const bytes = renderManifest(manifest);
  const hash = blake3Hex(bytes);
  const path = manifestPath(world, hash);
  if (!existsSync(path)) {
    ensurePrivateFolder(join(world.folder, 'manifests'));
    writeFileDurably(path, bytes);
  }
  return hash;
}

/** Reads a manifest; its bytes are not hashed again, since it is only ever written whole. */
export function readManifest(world: WorkspaceWorld, hash: string): Manifest {
  try {
    return parseManifest(readFileSync(manifestPath(world, hash)));
  } catch (cause) {
    throw new Fault('E_INTEGRITY', `The manifest of state ${hash} is lost.`, { details: { hash }, cause });
  }
}

export function manifestPath(world: WorkspaceWorld, hash: string): string {
  return join(world.folder, 'manifests', hash);
}
