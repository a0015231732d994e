import { blake3Hex, startBlake3 } from '../../../system/blake3.ts';
import { Fault } from '../../../base/fault.ts';
import { systemCode } from '../../../base/system-fault.ts';
import { isSameEntry } from '../list-changes.ts';
import type { TreeEntry } from '../workspace.ts';
import type { FolderHandle, EntryOwner, TreeIo } from './tree-io.ts';

/** An entry with everything below it, folders before their content; the entry itself has the path ''. */
export type Subtree = readonly SubtreeEntry[];

export interface SubtreeEntry {
  readonly path: string;
  readonly entry: TreeEntry;
}

/** Reads the subtree of a name; undefined if it does not exist. Special files never equal another entry. */
export function readSubtree(io: TreeIo, folder: FolderHandle, name: string): Subtree | undefined {
  const stats = io.stat(folder, name);
  if (stats === undefined) return undefined;
  const found: SubtreeEntry[] = [];
  readInto(io, folder, name, '', found);
  return found;
}

function readInto(io: TreeIo, folder: FolderHandle, name: string, path: string, found: SubtreeEntry[]): void {
  const stats = io.stat(folder, name);
  if (stats === undefined) return;
  const { type, mode, size } = stats;
  if (type === 'file') {
    const hash = startBlake3();
    for (const piece of io.read(folder, name)) hash.update(piece);
    found.push({ path, entry: { type, mode, size, hash: hash.hex() } });
  } else if (type === 'symlink') {
    const link = io.readLink(folder, name);
    found.push({
      path,
      entry: { type, mode: 0o777, size: Buffer.byteLength(link), hash: blake3Hex(link), link },
    });
  } else if (type === 'dir') {
    found.push({ path, entry: { type, mode, size: 0, hash: '' } });
    withFolder(io, folder, name, (inner) => {
      for (const child of io.list(inner).toSorted())
        readInto(io, inner, child, path === '' ? child : `${path}/${child}`, found);
    });
  } else {
    found.push({ path, entry: { type: 'file', mode, size, hash: 'other' } });
  }
}

/** Whether two subtrees are equal; the mode of a folder matters only if it is empty. */
export function isSameSubtree(left: Subtree | undefined, right: Subtree | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  if (left.length !== right.length) return false;
  const others = new Map(right.map(({ path, entry }) => [path, entry]));
  return left.every(({ path, entry }) => {
    const other = others.get(path);
    if (other === undefined) return false;
    if (entry.type === 'dir' && left.length > 1) return other.type === 'dir';
    return isSameEntry(entry, other);
  });
}

/** Returns the content of a path in chunks. */
export type ContentSource = (path: string, entry: TreeEntry) => Iterable<Uint8Array>;

export interface Staging {
  readonly subtree: Subtree;
  /** The path of the subtree in the tree. */
  readonly path: string;
  readonly source: ContentSource;
  readonly owner: EntryOwner | undefined;
}

/** Creates a subtree under a name and syncs its folders; the caller syncs the files and the name itself. */
export function stageSubtree(io: TreeIo, folder: FolderHandle, name: string, staging: Staging): void {
  const [top] = staging.subtree;
  if (top === undefined) return;
  if (top.entry.type !== 'dir') {
    stageEntry(io, folder, name, staging, top);
    return;
  }
  io.createFolder(folder, name, top.entry.mode, staging.owner);
  // An empty folder may have a mode that prevents opening it.
  if (staging.subtree.length === 1) return;
  withFolder(io, folder, name, (inner) => {
    const opened = new Map<string, FolderHandle>([['', inner]]);
    try {
      for (const node of staging.subtree.slice(1)) stageBelow(io, opened, staging, node);
      for (const handle of opened.values()) io.sync(handle);
    } finally {
      for (const [path, handle] of opened) if (path !== '') io.close(handle);
    }
  });
}

function stageBelow(
  io: TreeIo,
  opened: Map<string, FolderHandle>,
  staging: Staging,
  node: SubtreeEntry,
): void {
  const slash = node.path.lastIndexOf('/');
  const parent = opened.get(slash === -1 ? '' : node.path.slice(0, slash));
  const name = node.path.slice(slash + 1);
  if (parent === undefined) throw new Fault('E_UNKNOWN', `${node.path} is listed before its folder.`);
  if (node.entry.type === 'dir') {
    io.createFolder(parent, name, node.entry.mode, staging.owner);
    opened.set(node.path, io.openFolder(parent, name));
  } else {
    stageEntry(io, parent, name, staging, node);
  }
}

function stageEntry(
  io: TreeIo,
  folder: FolderHandle,
  name: string,
  { path, source, owner }: Staging,
  node: SubtreeEntry,
): void {
  const full = node.path === '' ? path : `${path}/${node.path}`;
  const pieces = source(full, node.entry);
  if (node.entry.type === 'symlink') {
    const target = Buffer.concat(Array.from(pieces, (piece) => Buffer.from(piece)));
    if (blake3Hex(target) !== node.entry.hash) throw differs(full);
    io.createLink(folder, name, target.toString('utf8'), owner);
    return;
  }
  const hash = startBlake3();
  io.createFile(folder, name, tap(pieces, hash.update), node.entry.mode, owner);
  if (hash.hex() === node.entry.hash) return;
  throw differs(full);
}

function differs(path: string): Fault {
  return new Fault('E_DAMAGED', `The new content of ${path} differs from what the run wrote.`, {
    hint: 'Nothing was changed. Restore the folder work/objects of the home from a backup, or run the item again.',
    details: { path },
  });
}

function* tap(pieces: Iterable<Uint8Array>, onPiece: (piece: Uint8Array) => void): Generator<Uint8Array> {
  for (const piece of pieces) {
    onPiece(piece);
    yield piece;
  }
}

/** Removes a name with everything below it, if it exists. */
export function removeSubtree(io: TreeIo, folder: FolderHandle, name: string): void {
  const stats = io.stat(folder, name);
  if (stats === undefined) return;
  if (stats.type !== 'dir') {
    io.unlink(folder, name);
    return;
  }
  withFolder(io, folder, name, (inner) => {
    for (const child of io.list(inner)) removeSubtree(io, inner, child);
  });
  io.removeFolder(folder, name);
}

/** Opens the parent folder of a path without following symlinks; undefined if a part of the path is not a folder. */
export function withParent<T>(
  io: TreeIo,
  root: FolderHandle,
  path: string,
  action: (folder: FolderHandle, name: string) => T,
): T | undefined {
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  const opened: FolderHandle[] = [];
  try {
    let folder = root;
    for (const part of parts) {
      folder = io.openFolder(folder, part);
      opened.push(folder);
    }
    return action(folder, name);
  } catch (error) {
    if (opened.length < parts.length && NO_FOLDER.has(systemCode(error) ?? '')) return undefined;
    throw error;
  } finally {
    for (const folder of opened.toReversed()) io.close(folder);
  }
}

const NO_FOLDER: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

function withFolder(
  io: TreeIo,
  parent: FolderHandle,
  name: string,
  action: (folder: FolderHandle) => void,
): void {
  const folder = io.openFolder(parent, name);
  try {
    action(folder);
  } finally {
    io.close(folder);
  }
}
