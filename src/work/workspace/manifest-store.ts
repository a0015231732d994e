import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blake3Hex } from '../../base/blake3.ts';
import { Fault } from '../../base/fault.ts';
import { writeFileDurably } from '../../system/durable-file.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { parseManifest, renderManifest, type Manifest } from './manifest.ts';
import type { WorkspaceContext } from './workspace.ts';

/** Keeps a manifest under its hash; one that is kept already costs a look. */
export function keepManifest(context: WorkspaceContext, manifest: Manifest): string {
  const bytes = renderManifest(manifest);
  const hash = blake3Hex(bytes);
  const path = manifestPath(context, hash);
  if (!existsSync(path)) {
    ensurePrivateFolder(join(context.folder, 'manifests'));
    writeFileDurably(path, bytes);
  }
  return hash;
}

/** Reads a manifest; its bytes are not hashed again, since it is only ever written whole. */
export function readManifest(context: WorkspaceContext, hash: string): Manifest {
  try {
    return parseManifest(readFileSync(manifestPath(context, hash)));
  } catch (cause) {
    throw new Fault('E_INTEGRITY', `The manifest of state ${hash} is lost.`, { details: { hash }, cause });
  }
}

export function manifestPath(context: WorkspaceContext, hash: string): string {
  return join(context.folder, 'manifests', hash);
}
