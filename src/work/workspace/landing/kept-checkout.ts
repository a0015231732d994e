import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomHex } from '../../../base/ids.ts';
import { isPlainObject } from '../../../base/json.ts';
import { systemCode } from '../../../base/system-fault.ts';
import { readFileIfPresent } from '../../../system/durable-file.ts';
import { listNames } from '../../../system/list-names.ts';
import { createYielder } from '../../../system/yielder.ts';
import { ensurePrivateFolder } from '../../../system/private-folder.ts';
import { bootId } from '../../../system/process-identity.ts';
import { removeFolder } from '../../../system/remove-folder.ts';
import { hashManifest, sortPaths } from '../manifest.ts';
import { createStat, readEntries } from '../read-entries.ts';
import { treeId } from '../resolve-tree.ts';
import { readStatCache, statCachePath } from '../stat-cache.ts';
import type { Tree } from '../tree.ts';
import { treeFolder } from '../tree-lock.ts';
import { statAll } from '../walk-tree.ts';
import type { TreeChange, WorkspaceContext } from '../workspace.ts';
import { isCommittable } from './committable-changes.ts';
import {
  checkoutFolder,
  readNames,
  removeCheckout,
  tipPath,
  type CheckoutFiles,
  type CheckoutPlace,
  type CheckoutStart,
} from './open-checkout.ts';
import { updateCommitFiles } from './update-commit-files.ts';

/**
 * Checkouts of jobs that have ended, for later jobs on the same tree: few files differ between two commits, and to write and read all of
 * them takes longer the larger the tree is. A process takes one by renaming it, so two never have the same.
 */
const FOLDER = 'checkouts-kept';
/** Names what a kept checkout contains. */
const NOTE = 'kept.json';
const STATS = 'stats';
/** About as many as a worker runs items at the same time. */
const MAX_KEPT = 8;

/** The files of a kept checkout. */
interface KeptFiles extends CheckoutFiles {
  /** The hash of their state. */
  readonly state: string;
}

/** Starts a checkout at a commit, with the files of an earlier one if possible. */
export function startAt(commit: string): CheckoutStart {
  return { commit, reuse: reuseCheckout };
}

async function reuseCheckout(
  context: WorkspaceContext,
  place: CheckoutPlace,
  { commit, ignored }: CheckoutFiles,
): Promise<boolean> {
  const from = await takeCheckout(context, place, ignored);
  const { tree, userTree } = place;
  return (
    from !== undefined &&
    updateCommitFiles(context, { repository: userTree.root, folder: tree.root, from, to: commit })
  );
}

/** The checkout of an ended job. */
interface ReleaseRequest {
  readonly jobId: string;
  readonly userTree: Tree;
  /** The hash of its files. */
  readonly state: string;
  /** What was promoted to it, and the commit that has it. */
  readonly landed?: { readonly commit: string; readonly changes: readonly TreeChange[] } | undefined;
}

/** Keeps the checkout of an ended job for the next job, or deletes it if it is not known which commit its files belong to. */
export function releaseCheckout(context: WorkspaceContext, request: ReleaseRequest): void {
  const { jobId, userTree, state, landed } = request;
  const folder = checkoutFolder(context, jobId);
  const commit = landed === undefined ? readFileIfPresent(tipPath(folder)) : committedAll(landed);
  if (commit !== undefined) {
    const root = join(folder, 'tree');
    const ignored = readNames(join(folder, 'ignored'));
    keepCheckout(context, { folder, tree: { root, id: treeId(root) }, userTree }, { commit, state, ignored });
  }
  removeCheckout(context, jobId);
}

function committedAll({ commit, changes }: NonNullable<ReleaseRequest['landed']>): string | undefined {
  return isCommittable(changes) ? commit : undefined;
}

/** Keeps a checkout. Contract: it contains the files of the commit, and no process uses it. */
function keepCheckout(context: WorkspaceContext, place: CheckoutPlace, files: KeptFiles): void {
  const { folder, tree } = place;
  const kept = keptFolder(context, place);
  ensurePrivateFolder(kept);
  if (listNames(kept).length >= MAX_KEPT) {
    removeFolder(folder);
    return;
  }
  removeFolder(join(tree.root, '.git'));
  renameIfPresent(statCachePath(context, tree.id), join(folder, STATS));
  // After a power failure, a file could have another content than its time says.
  writeFileSync(join(folder, NOTE), JSON.stringify({ ...files, boot: bootId() }), { mode: 0o600 });
  // Another process may be deleting what is kept.
  if (!renameIfPresent(folder, join(kept, tree.id))) removeFolder(folder);
}

/**
 * Takes a kept checkout for another job. Returns the commit whose files it has; undefined if there is none that can be used, and then the
 * folder of the job has to be written.
 */
async function takeCheckout(
  context: WorkspaceContext,
  place: CheckoutPlace,
  ignored: readonly string[],
): Promise<string | undefined> {
  const { folder, tree } = place;
  const kept = keptFolder(context, place);
  const names = listNames(kept);
  if (names.length === 0) return undefined;
  removeFolder(folder);
  ensurePrivateFolder(join(folder, '..'));
  if (!names.some((name) => renameIfPresent(join(kept, name), folder))) return undefined;
  const note = readNote(join(folder, NOTE));
  rmSync(join(folder, NOTE), { force: true });
  ensurePrivateFolder(treeFolder(context, tree.id));
  renameIfPresent(join(folder, STATS), statCachePath(context, tree.id));
  if (note === undefined || note.boot === '' || note.boot !== bootId()) return undefined;
  if (JSON.stringify(note.ignored) !== JSON.stringify(ignored)) return undefined;
  return (await readState(context, tree, ignored)) === note.state ? note.commit : undefined;
}

/** Deletes all kept checkouts; the next jobs write their own. They are moved away first, so that no job takes a checkout that is partly deleted. */
export function removeKept(context: WorkspaceContext): void {
  const removed = join(context.folder, `kept-${randomHex(8)}`);
  if (renameIfPresent(join(context.folder, FOLDER), removed)) removeFolder(removed);
}

function keptFolder(context: WorkspaceContext, { userTree }: CheckoutPlace): string {
  return join(context.folder, FOLDER, userTree.id);
}

/** The hash of the files of a tree without its repository and what is ignored; undefined if it contains something that a commit cannot contain. */
async function readState(
  context: WorkspaceContext,
  { id, root }: CheckoutPlace['tree'],
  ignored: readonly string[],
): Promise<string | undefined> {
  const isIgnored = new Set(ignored.map((name) => name.replace(/\/$/u, '')));
  const paths = existsSync(root) ? listFiles(root, '', isIgnored) : undefined;
  if (paths === undefined) return undefined;
  const cache = readStatCache(context, id);
  const walk = {
    context,
    root,
    stat: createStat(root),
    skipped: [],
    becameFolders: new Set<string>(),
    yielder: createYielder(() => undefined),
    progress: { files: 0, total: 0 },
    ownIds: true,
  };
  const current = cache === undefined ? undefined : statAll(walk, cache.manifest.paths);
  return hashManifest((await readEntries(walk, sortPaths(paths), cache, current)).manifest);
}

/** Lists all files and links below a folder; undefined if one of its folders is empty. */
function listFiles(root: string, folder: string, isIgnored: ReadonlySet<string>): string[] | undefined {
  const found: string[] = [];
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (isIgnored.has(path)) continue;
    if (!entry.isDirectory()) {
      found.push(path);
      continue;
    }
    const inside = listFiles(root, path, isIgnored);
    if (inside === undefined) return undefined;
    found.push(...inside);
  }
  return found.length === 0 && folder !== '' && !hasIgnored(folder, isIgnored) ? undefined : found;
}

/** A folder may have only ignored files. */
function hasIgnored(folder: string, isIgnored: ReadonlySet<string>): boolean {
  return [...isIgnored].some((path) => path.startsWith(`${folder}/`));
}

function readNote(path: string): (KeptFiles & { readonly boot: string }) | undefined {
  try {
    const note: unknown = JSON.parse(readFileIfPresent(path) ?? '');
    const isNote =
      isPlainObject(note) &&
      [note.commit, note.state, note.boot].every((value) => typeof value === 'string') &&
      Array.isArray(note.ignored);
    return isNote ? (note as unknown as KeptFiles & { readonly boot: string }) : undefined;
  } catch {
    return undefined;
  }
}

/** False if another process renamed it first. */
function renameIfPresent(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}
