import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import type { Libc } from '../../../system/libc/libc.ts';
import { createDiskTreeIo } from '../promotion/disk-tree-io.ts';
import { withParent } from '../promotion/subtree.ts';
import type { FolderHandle, TreeIo } from '../promotion/tree-io.ts';
import { isWithin } from '../resolve-tree.ts';
import { listHiddenPaths } from '../sandbox/hidden-paths.ts';
import { ownerIfOther } from '../sandbox/plan-sandbox.ts';
import { isUnsupported } from '../unsupported-name.ts';
import type { WorkspaceRecord } from '../workspace-record.ts';
import type { WorkspaceContext } from '../workspace.ts';

export const OPAQUE_ATTRIBUTE = 'trusted.overlay.opaque';
const REDIRECT_ATTRIBUTE = 'trusted.overlay.redirect';
const OPAQUE = Buffer.from('y');
/** A folder with content has the default mode, as in a promotion. */
const FOLDER_MODE = 0o755;

/**
 * Whether commands can rename folders of the tree. The kernel allows it to root only (`userxattr` excludes `redirect_dir`). A tree with
 * hidden files is left out: their content must not get into the workspace under another name.
 */
export function canRedirect(context: WorkspaceContext, record: WorkspaceRecord): boolean {
  if (context.uid !== 0) return false;
  const hidden = listHiddenPaths(context, ownerIfOther(context, record));
  return !hidden.some(({ path }) => isWithin(record.tree.root, path) || isWithin(record.mountAt, path));
}

/** Whether a folder of the upper layer hides what the tree has at its path. */
export function isMarkedOpaque(libc: Libc, path: string, attribute: string): boolean {
  return libc.readAttribute(path, attribute)?.[0] === OPAQUE[0];
}

/** The folder with the writes of a run, and the tree below it. */
interface Layers {
  readonly upper: string;
  readonly lower: string;
}

/**
 * Replaces redirects in the upper folder with what they refer to, so that it can be read without the mount: a renamed folder gets a copy of
 * its files that the run did not write, as `mv` would have made. No command may be running.
 */
export function resolveRedirects(libc: Libc, { upper, lower }: Layers): void {
  const io = createDiskTreeIo(libc);
  const [target, source] = [io.openRoot(upper), io.openRoot(lower)];
  /** `origin`: the folder of the tree that is merged with this one; undefined if there is none. */
  const visit = (folder: string, origin: string | undefined, isMoved: boolean): void => {
    for (const name of readdirSync(join(upper, folder))) {
      // Such a name cannot be promoted; it is reported when the folder is read.
      if (isUnsupported(name)) continue;
      const path = join(folder, name);
      const full = join(upper, path);
      if (!lstatSync(full).isDirectory()) continue;
      const redirect = libc.readAttribute(full, REDIRECT_ATTRIBUTE);
      const below = isMarkedOpaque(libc, full, OPAQUE_ATTRIBUTE)
        ? undefined
        : originOf(origin, redirect === undefined ? name : Buffer.from(redirect).toString('utf8'));
      const moved = below !== undefined && (isMoved || redirect !== undefined);
      visit(path, below, moved);
      if (moved) fill(io, { target, path }, { source, path: below });
      if (redirect === undefined) continue;
      // Opaque first: a process that is killed in between leaves a folder that is complete.
      libc.writeAttribute(full, OPAQUE_ATTRIBUTE, OPAQUE);
      libc.writeAttribute(full, REDIRECT_ATTRIBUTE, undefined);
    }
  };
  try {
    visit('', '', false);
  } finally {
    io.syncFiles();
    io.close(target);
    io.close(source);
  }
}

/** The kernel writes an absolute path if the parent folder is another one. */
function originOf(parent: string | undefined, redirect: string): string | undefined {
  if (redirect.startsWith('/')) return redirect.slice(1);
  return parent === undefined ? undefined : join(parent, redirect);
}

/** Copies what a folder of the tree contains into a folder of the upper layer, except for names that are there or were deleted. */
function fill(
  io: TreeIo,
  to: { readonly target: FolderHandle; readonly path: string },
  from: { readonly source: FolderHandle; readonly path: string },
): void {
  withParent(io, from.source, `${from.path}/.`, (source) => {
    withParent(io, to.target, `${to.path}/.`, (target) => {
      const known = new Set(io.list(target));
      for (const name of io.list(source)) if (!known.has(name)) copyEntry(io, source, target, name);
    });
  });
}

function copyEntry(io: TreeIo, from: FolderHandle, to: FolderHandle, name: string): void {
  const stats = io.stat(from, name);
  if (stats === undefined) throw lost(name);
  const owner = { uid: stats.uid, gid: stats.gid };
  if (stats.type === 'file') io.createFile(to, name, io.read(from, name), stats.mode, owner);
  if (stats.type === 'symlink') io.createLink(to, name, io.readLink(from, name), owner);
  if (stats.type !== 'dir') return;
  const source = io.openFolder(from, name);
  try {
    const names = io.list(source);
    io.createFolder(to, name, names.length === 0 ? stats.mode : FOLDER_MODE, owner);
    if (names.length === 0) return;
    const target = io.openFolder(to, name);
    try {
      for (const inner of names) copyEntry(io, source, target, inner);
    } finally {
      io.close(target);
    }
  } finally {
    io.close(source);
  }
}

function lost(name: string): Fault {
  return new Fault(
    'E_CONFLICT',
    `A folder that the run renamed contains ${JSON.stringify(name)}, which cannot be read.`,
    {
      hint: 'It was deleted meanwhile, or its name is not UTF-8. Run the item again, or set work.workspace to copy.',
      details: { name },
    },
  );
}
