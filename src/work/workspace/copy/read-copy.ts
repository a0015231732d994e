import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Footprint } from '../backend.ts';
import { isSameEntry } from '../list-changes.ts';
import { findEntry, type Manifest } from '../manifest.ts';
import { readLiveEntry } from '../read-live-entry.ts';
import { isUnsupported, skipUnsupported } from '../unsupported-name.ts';
import type { TreeEntry, Skipped } from '../workspace.ts';

/** Reads the whole copy and returns the differences from the base. */
export function readCopy(copy: string, base: Manifest, linked: ReadonlySet<string>): Footprint {
  const written = new Map<string, TreeEntry>();
  const skipped: Skipped[] = [];
  const seen = new Set<string>();
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(copy, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name === '.git' || linked.has(path)) continue;
      if (isUnsupported(path)) skipped.push(skipUnsupported(path));
      else if (!entry.isDirectory() && !entry.isFile() && !entry.isSymbolicLink())
        skipped.push({ path, reason: 'not a file, symlink or folder' });
      else if (entry.isDirectory() && readdirSync(join(copy, path)).some((name) => name !== '.git'))
        visit(path);
      else record(path);
    }
  };
  const record = (path: string): void => {
    const now = readLiveEntry(join(copy, path));
    if (now === undefined) return;
    seen.add(path);
    const was = findEntry(base, path);
    if (was === undefined || !isSameEntry(was, now)) written.set(path, now);
  };
  visit('');
  return {
    written,
    deleted: new Set(base.paths.filter((path) => !seen.has(path))),
    deletedOthers: [],
    skipped,
  };
}
