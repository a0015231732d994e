import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isGitPath } from './git-name.ts';
import { readManifest } from './manifest-store.ts';
import { findEntry, type Manifest } from './manifest.ts';
import { readLiveEntry } from './read-live-entry.ts';
import type { TreeEntry, Snapshot, WorkspaceContext } from './workspace.ts';

/** Removes the slashes around a declared path. */
export function trimSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/gu, '');
}

/** Describes the declared paths that are not part of the snapshot, because git ignores them, with everything below them. */
export function readDeclared(
  context: WorkspaceContext,
  snapshot: Snapshot,
  declared: readonly string[],
): Readonly<Record<string, TreeEntry>> {
  const manifest = readManifest(context, snapshot.hash);
  const found = new Map<string, TreeEntry>();
  for (const path of declared) readBelow(snapshot.root, trimSlashes(path), manifest, found);
  return Object.fromEntries(found);
}

function readBelow(root: string, path: string, manifest: Manifest, found: Map<string, TreeEntry>): void {
  if (path === '' || isGitPath(path) || findEntry(manifest, path) !== undefined) return;
  const entry = readLiveEntry(join(root, path));
  if (entry !== undefined) found.set(path, entry);
  else if (lstatSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() === true)
    for (const name of readdirSync(join(root, path))) readBelow(root, `${path}/${name}`, manifest, found);
}
