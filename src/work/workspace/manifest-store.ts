import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blake3Hex } from '../../base/blake3.ts';
import { Fault } from '../../base/fault.ts';
import { writeFileDurably } from '../../system/durable-file.ts';
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

/** Reads a manifest without verifying its hash, because manifests are written atomically. */
export function readManifest(context: WorkspaceContext, hash: string): Manifest {
  try {
    return parseManifest(readFileSync(manifestPath(context, hash)));
  } catch (cause) {
    throw new Fault('E_DAMAGED', `The manifest of state ${hash} is missing or corrupt.`, {
      details: { hash },
      cause,
    });
  }
}

export function manifestPath(context: WorkspaceContext, hash: string): string {
  return join(context.folder, 'manifests', hash);
}
