import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { readFileIfPresent, writeFileDurably } from '../../../system/durable-file.ts';
import { ensurePrivateFolder } from '../../../system/private-folder.ts';
import { removeFolder } from '../../../system/remove-folder.ts';
import { runGit } from '../git.ts';
import { resolveTree, treeId } from '../resolve-tree.ts';
import { BASE_OBJECTS_INSIDE, type Tree } from '../tree.ts';
import { ownerOf } from '../tree-owner.ts';
import { treeFolder } from '../tree-lock.ts';
import type { WorkspaceContext } from '../workspace.ts';
import {
  copyIfPresent,
  copyIgnoredFiles,
  ignoredFolders,
  listIgnored,
  writeExcludes,
} from './ignored-files.ts';
import { branchRef, readBranch, readTip } from './read-branch.ts';
import { writeBranch, writeRepository } from './private-repository.ts';
import { writeCommitFiles } from './write-commit-files.ts';

/** Which branch of which tree a job lands on. */
export interface CheckoutRequest {
  readonly jobId: string;
  /** The user's tree. */
  readonly userTree: Tree;
  readonly branch: string;
  /** The commit to work on; without it, that is the tip of the branch, or the commit that it starts from. */
  readonly start?: CheckoutStart | undefined;
}

/** The commit of a checkout, and how a worker of a queue gets its files from an earlier one. */
export interface CheckoutStart {
  readonly commit: string;
  /** Port: takes the checkout of an earlier job for this job, with the files of the commit. False if there is no such checkout. */
  readonly reuse: (context: WorkspaceContext, place: CheckoutPlace, files: CheckoutFiles) => Promise<boolean>;
}

/** A private checkout: its folder, its tree in it, and the user's tree. */
export interface CheckoutPlace {
  readonly folder: string;
  readonly tree: Pick<Tree, 'id' | 'root'>;
  readonly userTree: Pick<Tree, 'id' | 'root'>;
}

/** What a checkout has: the files of a commit, and what the user's tree ignores. */
export interface CheckoutFiles {
  readonly commit: string;
  readonly ignored: readonly string[];
}

/**
 * Opens the private checkout of a branch in which a job works: the user's HEAD, index and files are not touched. It is written again
 * whenever it does not match the branch, for example after a crash or if someone else moved the branch.
 */
export async function openCheckout(context: WorkspaceContext, request: CheckoutRequest): Promise<Tree> {
  const { userTree } = request;
  assertOwnTree(context, userTree);
  const folder = checkoutFolder(context, request.jobId);
  const current = readFileIfPresent(tipPath(folder));
  const commit = request.start?.commit ?? (await findCommit(context, request, current));
  if (current === commit)
    return describeCheckout(context, folder, { ...request, folders: readFolders(folder, userTree.root) });
  const ignored = await listIgnored(context, userTree);
  const tree = describeCheckout(context, folder, {
    ...request,
    folders: ignoredFolders(context, userTree, ignored),
  });
  const place = { folder, tree, userTree };
  const isUpdated = (await request.start?.reuse(context, place, { commit, ignored })) === true;
  await writeCheckout(context, tree, { userTree, commit, ignored, isUpdated });
  return tree;
}

/** The commit to work on. A branch that does not exist yet starts from where the job started, not from where HEAD is now. */
async function findCommit(
  context: WorkspaceContext,
  { userTree, branch }: CheckoutRequest,
  current: string | undefined,
): Promise<string> {
  const { base, tip } = await readBranch(context, userTree, branch);
  return tip ?? current ?? base;
}

/** Brings the checkout of a job up to date with its branch, which others may have moved. */
export async function refreshCheckout(
  context: WorkspaceContext,
  { jobId, root, branch }: { readonly jobId: string; readonly root: string; readonly branch: string },
): Promise<void> {
  const current = readFileIfPresent(tipPath(checkoutFolder(context, jobId)));
  const tip = await readTip(context, root, branchRef(branch));
  if (current !== undefined && (tip === null || tip === current)) return;
  await openCheckout(context, { jobId, userTree: await resolveTree(context, root), branch });
}

/** The commit of a private checkout. Contract: the checkout is open and matches its branch. */
export function readCheckoutTip(context: WorkspaceContext, jobId: string): string {
  const tip = readFileIfPresent(tipPath(checkoutFolder(context, jobId)));
  if (tip === undefined) throw new Error(`the checkout of ${jobId} does not match its branch`);
  return tip;
}

/** Marks a checkout as different from its branch, until `markCheckout` is called. */
export function unmarkCheckout(context: WorkspaceContext, jobId: string): void {
  rmSync(tipPath(checkoutFolder(context, jobId)), { force: true });
}

/** Records that a checkout contains the files of a commit. */
export async function markCheckout(
  context: WorkspaceContext,
  { jobId, branch }: Pick<CheckoutRequest, 'jobId' | 'branch'>,
  commit: string,
): Promise<void> {
  const folder = checkoutFolder(context, jobId);
  const cwd = join(folder, 'tree');
  writeBranch(join(cwd, '.git'), branch, commit);
  await runGit(context, ['read-tree', commit], { cwd });
  writeFileDurably(tipPath(folder), commit);
}

/** Deletes the checkout of a job. */
export function removeCheckout(context: WorkspaceContext, jobId: string): void {
  const folder = checkoutFolder(context, jobId);
  removeFolder(folder);
  removeFolder(treeFolder(context, treeId(join(folder, 'tree'))));
}

/** Lists the jobs that have a private checkout. */
export function listCheckouts(context: WorkspaceContext): readonly string[] {
  const folder = join(context.folder, CHECKOUTS);
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** The folder with the private checkouts of all jobs. */
const CHECKOUTS = 'checkouts';

export function checkoutFolder(context: WorkspaceContext, jobId: string): string {
  return join(context.folder, CHECKOUTS, jobId);
}

export function tipPath(folder: string): string {
  return join(folder, 'tip');
}

/** The folders may have been deleted in the user's tree since. */
function readFolders(folder: string, root: string): readonly string[] {
  return readNames(join(folder, 'folders')).filter(
    (name) => lstatSync(join(root, name), { throwIfNoEntry: false })?.isDirectory() === true,
  );
}

export function readNames(path: string): readonly string[] {
  return (readFileIfPresent(path) ?? '').split('\0').filter(Boolean);
}

function describeCheckout(
  context: WorkspaceContext,
  folder: string,
  { branch, userTree, folders }: CheckoutRequest & { folders: readonly string[] },
): Tree {
  ensurePrivateFolder(context.folder);
  const root = join(folder, 'tree');
  const gitFolder = join(root, '.git');
  const objects = join(userTree.commonFolder, 'objects');
  return {
    root,
    gitFolder,
    commonFolder: gitFolder,
    id: treeId(root),
    checkout: { root: userTree.root, branch, objects, folders },
  };
}

interface WriteRequest extends CheckoutFiles {
  readonly userTree: Tree;
  /** Whether the checkout has the files already. */
  readonly isUpdated: boolean;
}

/** Writes the checkout from the commit: its own repository, which uses the objects of the user's, and the files. */
async function writeCheckout(
  context: WorkspaceContext,
  tree: Tree,
  { userTree, commit, ignored, isUpdated }: WriteRequest,
): Promise<void> {
  const { root, gitFolder, checkout } = tree;
  const { branch = '', folders = [], objects = '' } = checkout ?? {};
  const folder = dirname(root);
  if (!isUpdated) removeFolder(folder);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  writeRepository(gitFolder, branch, commit);
  // The first path exists here, the second in a sandbox; git ignores the path that does not exist.
  writeFileSync(join(gitFolder, 'objects/info/alternates'), `${objects}\n${BASE_OBJECTS_INSIDE}\n`);
  copyIfPresent(join(userTree.commonFolder, 'shallow'), join(gitFolder, 'shallow'));
  const copied = copyIgnoredFiles(userTree, ignored, root);
  writeExcludes(userTree, gitFolder, [...copied, ...folders]);
  if (!isUpdated) await writeCommitFiles(context, { repository: userTree.root, commit, folder: root });
  for (const name of folders) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(folder, 'folders'), folders.join('\0'));
  writeFileSync(join(folder, 'ignored'), ignored.join('\0'));
  await markCheckout(context, { jobId: basename(folder), branch }, commit);
}

/** The checkout belongs to this account, so its commands would run as root instead of as the owner of the tree. */
export function assertOwnTree(context: WorkspaceContext, userTree: Tree): void {
  if (ownerOf(context, userTree.root) === undefined) return;
  throw new Fault(
    'E_PROTECTED',
    `${userTree.root} belongs to another account; root cannot land on its branches.`,
    {
      hint: 'Run the command as the owner of the repository.',
      details: { field: 'branch', path: userTree.root },
    },
  );
}
