import { ownMember } from '../../base/own-member.ts';
import { blake3Hex } from '../../system/blake3.ts';
import { Fault } from '../../base/fault.ts';
import type { TreeChange, TreeEntry, EntryType } from './workspace.ts';

/**
 * The entries of a tree, as two parallel arrays sorted by path: a hundred thousand small objects would cost more than reading the
 * tree. A head is `<type> <mode> <size> <hash>`. The canonical text is every head with its path, each terminated by a NUL byte.
 */
export interface Manifest {
  readonly paths: readonly string[];
  readonly heads: readonly string[];
}

const MAGIC = 'deed tree 1\0';
const LETTERS: Readonly<Record<EntryType, string>> = { file: 'f', symlink: 'l', dir: 'd' };
const TYPES: Readonly<Record<string, EntryType>> = { f: 'file', l: 'symlink', d: 'dir' };

export function renderHead(entry: Omit<TreeEntry, 'link'>): string {
  return `${LETTERS[entry.type]} ${entry.mode.toString(8)} ${entry.size} ${entry.hash || '-'}`;
}

/** Parses a head, which does not include the target of a symlink. */
export function parseHead(head: string): TreeEntry {
  const [letter = '', mode = '', size = '', hash = ''] = head.split(' ');
  const type = ownMember(TYPES, letter);
  if (type === undefined) throw new Fault('E_DAMAGED', `Invalid manifest entry: "${head}".`);
  return { type, mode: Number.parseInt(mode, 8), size: Number(size), hash: hash === '-' ? '' : hash };
}

export function renderManifest({ paths, heads }: Manifest): Buffer {
  let text = MAGIC;
  for (let index = 0; index < paths.length; index += 1) text += `${heads[index]} ${paths[index]}\0`;
  return Buffer.from(text, 'utf8');
}

/** Contract: throws for anything but a complete manifest. */
export function parseManifest(bytes: Uint8Array): Manifest {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (!text.startsWith(MAGIC)) throw new Fault('E_DAMAGED', 'Not a tree manifest: the header is missing.');
  const paths: string[] = [];
  const heads: string[] = [];
  for (let start = MAGIC.length; start < text.length;) {
    const end = text.indexOf('\0', start);
    // A head contains three spaces; the fourth one terminates it.
    const hash = text.indexOf(' ', text.indexOf(' ', start + 2) + 1) + 1;
    const path = text.indexOf(' ', hash) + 1;
    if (end === -1 || hash === 0 || path === 0 || path > end) {
      throw new Fault('E_DAMAGED', `The manifest is truncated or invalid at character ${start}.`);
    }
    heads.push(text.slice(start, path - 1));
    paths.push(text.slice(path, end));
    start = end + 1;
  }
  return { paths, heads };
}

/** The state hash of a tree. */
export function hashManifest(manifest: Manifest): string {
  return blake3Hex(renderManifest(manifest));
}

/** Sorts paths by their UTF-8 bytes, which equals the default sort order for most paths. */
export function sortPaths(paths: string[]): string[] {
  return paths.some(hasSupplementary) ? paths.sort(comparePaths) : paths.sort();
}

/** Returns the index of a path, or where it would be inserted. */
export function lowerBound({ paths }: Manifest, path: string): number {
  let low = 0;
  let high = paths.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comparePaths(paths[middle] ?? '', path) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function findEntry(manifest: Manifest, path: string): TreeEntry | undefined {
  const index = lowerBound(manifest, path);
  return manifest.paths[index] === path ? parseHead(manifest.heads[index] ?? '') : undefined;
}

/** Lists the entries below a folder. */
export function entriesBelow(manifest: Manifest, folder: string): readonly (readonly [string, TreeEntry])[] {
  const prefix = `${folder}/`;
  const found: (readonly [string, TreeEntry])[] = [];
  for (let index = lowerBound(manifest, prefix); index < manifest.paths.length; index += 1) {
    const path = manifest.paths[index] ?? '';
    if (!path.startsWith(prefix)) break;
    found.push([path, parseHead(manifest.heads[index] ?? '')]);
  }
  return found;
}

/** Applies changes to a manifest; removes the entries of folders that have content now. */
export function applyChanges(manifest: Manifest, changes: readonly TreeChange[]): Manifest {
  const heads = new Map(manifest.paths.map((path, index) => [path, manifest.heads[index] ?? '']));
  const visible = changes.filter(({ ignored }) => ignored !== true);
  for (const { path } of visible) heads.delete(path);
  for (const { path, after } of visible) if (after !== undefined) heads.set(path, renderHead(after));
  for (const { path, after } of changes) {
    // An ignored entry also makes its folder non-empty.
    if (after === undefined) continue;
    for (let parent = parentOf(path); parent !== ''; parent = parentOf(parent)) heads.delete(parent);
  }
  const paths = sortPaths([...heads.keys()]);
  return { paths, heads: paths.map((path) => heads.get(path) ?? '') };
}

export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '' : path.slice(0, slash);
}

/** String order by UTF-16 code units differs from byte order only for supplementary characters. */
function comparePaths(left: string, right: string): number {
  if (hasSupplementary(left) || hasSupplementary(right))
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return left < right ? -1 : left > right ? 1 : 0;
}

function hasSupplementary(path: string): boolean {
  return /[\u{10000}-\u{10FFFF}]/u.test(path);
}
