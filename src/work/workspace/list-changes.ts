import { ownMember } from '../../base/own-member.ts';
import { join } from 'node:path';
import type { Backend, Footprint } from './backend.ts';
import { entriesBelow, findEntry, parentOf, sortPaths, type Manifest } from './manifest.ts';
import { trimSlashes } from './read-declared.ts';
import { readLiveEntry } from './read-live-entry.ts';
import { isUnsupported } from './unsupported-name.ts';
import type { TreeChange, Diff, DiffOptions, TreeEntry } from './workspace.ts';

const OTHERS_WRITE = 0o002;

/** Converts a footprint into changes: those that git does not ignore, and those that were declared. */
export async function listChanges(
  backend: Backend,
  root: string,
  base: Manifest,
  options: DiffOptions = {},
  recorded?: Readonly<Record<string, TreeEntry>>,
): Promise<Diff> {
  const footprint = backend.readFootprint(base);
  const declared = (options.declared ?? []).map(trimSlashes);
  // What the run found, not what is there now: an edit of the user during the run must be a conflict.
  const ignoredBefore = (path: string): TreeEntry | undefined =>
    recorded === undefined ? readLiveEntry(join(root, path)) : ownMember(recorded, path);
  const isDeclared = (path: string): boolean =>
    declared.some((folder) => path === folder || path.startsWith(`${folder}/`));
  const unknown = [...footprint.written.keys()].filter((path) => findEntry(base, path) === undefined);
  const unsupported = unsupportedPaths(footprint);
  const asked = [...unknown, ...unsupported];
  const ignored = new Set(
    asked.length === 0 ? [] : await backend.listIgnored(asked, changesRules(footprint)),
  );
  const changes: TreeChange[] = [];
  let ignoredCount = 0;
  for (const [path, written] of footprint.written) {
    if (ignored.has(path) && !isDeclared(path)) {
      ignoredCount += 1;
      continue;
    }
    const change = describeChange(base, path, written, ignored.has(path) ? ignoredBefore(path) : undefined);
    if (change !== undefined) changes.push(ignored.has(path) ? { ...change, ignored: true } : change);
  }
  const filled = foldersAbove(changes.flatMap(({ path, after }) => (after === undefined ? [] : [path])));
  for (const path of filled) {
    const before = findEntry(base, path);
    // The folder was empty and no longer is; a rollback must keep it.
    if (before?.type === 'dir') changes.push({ path, action: 'modify', type: 'dir', before, after: before });
  }
  for (const path of footprint.deleted) {
    const before = footprint.written.has(path) ? undefined : findEntry(base, path);
    // An empty folder that has content now was not deleted.
    if (before !== undefined && !(before.type === 'dir' && filled.has(path)))
      changes.push({ path, action: 'delete', type: before.type, before });
  }
  for (const path of footprint.deletedOthers) {
    if (footprint.written.has(path) || !isDeclared(path)) continue;
    const before = ignoredBefore(path);
    if (before !== undefined)
      changes.push({ path, action: 'delete', type: before.type, before, ignored: true });
  }
  const order = new Map(changes.map((change) => [change.path, change]));
  const sorted = sortPaths([...order.keys()]).flatMap((path) => order.get(path) ?? []);
  return {
    changes: sorted,
    skipped: footprint.skipped,
    unsupported: unsupported.filter((path) => !ignored.has(path)),
    ignored: ignoredCount,
  };
}

/** Paths that the run wrote or deleted and that cannot be promoted: the name or the target of a link is not UTF-8. */
function unsupportedPaths({ skipped, written }: Footprint): readonly string[] {
  const names = skipped.flatMap(({ path }) => (isUnsupported(path) ? [path] : []));
  const links = [...written].flatMap(([path, { link }]) => (isUnsupported(link ?? '') ? [path] : []));
  return [...names, ...links];
}

function describeChange(
  base: Manifest,
  path: string,
  written: TreeEntry,
  ignoredBefore: TreeEntry | undefined,
): TreeChange | undefined {
  const before = findEntry(base, path) ?? ignoredBefore;
  const after = withoutForeignWrites(written, before);
  if (before !== undefined) {
    if (isSameEntry(before, after)) return undefined;
    return { path, action: 'modify', type: after.type, before, after };
  }
  // A folder whose last file was deleted existed before, but was not empty.
  if (after.type === 'dir' && entriesBelow(base, path).length > 0)
    return { path, action: 'modify', type: 'dir', before: { ...after }, after };
  return { path, action: 'create', type: after.type, after };
}

/** An agent cannot make a file or folder of the user writable by all accounts. */
function withoutForeignWrites(written: TreeEntry, before: TreeEntry | undefined): TreeEntry {
  const wasWritable = ((before?.mode ?? 0) & OTHERS_WRITE) !== 0;
  if (written.type === 'symlink' || wasWritable) return written;
  return { ...written, mode: written.mode & ~OTHERS_WRITE };
}

/** All parent folders of the paths. */
function foldersAbove(paths: Iterable<string>): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let parent = parentOf(path); parent !== '' && !folders.has(parent); parent = parentOf(parent))
      folders.add(parent);
  }
  return folders;
}

function changesRules({ written, deleted }: Footprint): boolean {
  const isRule = (path: string): boolean => path === '.gitignore' || path.endsWith('/.gitignore');
  return [...written.keys()].some(isRule) || [...deleted].some(isRule);
}

export function isSameEntry(left: TreeEntry, right: TreeEntry): boolean {
  return left.type === right.type && left.mode === right.mode && left.hash === right.hash;
}
