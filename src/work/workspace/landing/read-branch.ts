import { dirname } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { runGit } from '../git.ts';
import { findObjects } from '../objects/find-objects.ts';
import type { Tree } from '../tree.ts';
import type { WorkspaceContext } from '../workspace.ts';

/** A branch that runs land on. */
export interface Branch {
  readonly name: string;
  /** Its last commit; null if it does not exist. */
  readonly tip: string | null;
  /** The commit from which work on it starts: its last one, or HEAD. */
  readonly base: string;
}

export function branchRef(name: string): string {
  return `refs/heads/${name}`;
}

/** Reads the last commit of a ref; null if it does not exist. */
export async function readTip(
  context: WorkspaceContext,
  root: string,
  revision: string,
): Promise<string | null> {
  const { exitCode, output } = await runGit(
    context,
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`],
    { cwd: root, accept: [1, 128] },
  );
  return exitCode === 0 ? output.toString('utf8').trim() : null;
}

/** Reads the branch that runs land on. A branch that is checked out is rejected: the checkout would no longer match it. */
export async function readBranch(context: WorkspaceContext, tree: Tree, name: string): Promise<Branch> {
  const tip = await readLandingTip(context, tree.root, name);
  assertBranchName(name, tip !== null || (await isRefName(context, tree.root, branchRef(name))));
  const base = tip ?? (await readTip(context, tree.root, 'HEAD'));
  if (base !== null) return { name, tip, base };
  throw new Fault('E_VALIDATION', `${tree.root} has no commit from which the branch "${name}" could start.`, {
    hint: 'Commit something first.',
    details: { field: 'branch', branch: name },
  });
}

/** A branch that exists, and the working tree in which it is checked out. */
interface FoundBranch {
  readonly tip: string;
  readonly place: string | undefined;
}

/** Reads a branch with one process; undefined if it does not exist. */
async function findBranch(
  context: WorkspaceContext,
  root: string,
  name: string,
): Promise<FoundBranch | undefined> {
  const ref = branchRef(name);
  const format = '--format=%(refname)%00%(objectname)%00%(worktreepath)';
  const { output } = await runGit(context, ['for-each-ref', format, ref], { cwd: root });
  // Git also lists branches below this name, which can exist only if the branch itself does not.
  const [found, tip = '', place = ''] = output.toString('utf8').replace(/\n$/u, '').split('\0');
  return found === ref ? { tip, place: place || undefined } : undefined;
}

/** Reads the tip of a branch that a run may move; null if the branch does not exist. A branch that is checked out or being rebased is rejected. */
export async function readLandingTip(
  context: WorkspaceContext,
  root: string,
  name: string,
): Promise<string | null> {
  const found = await findBranch(context, root, name);
  const place = found === undefined ? await findCheckout(context, root, name) : found.place;
  if (place !== undefined) throw checkedOut(name, place);
  if (found === undefined) return null;
  const { folder } = await findObjects(context, root);
  const { findRebase } = await import('./find-rebase.ts');
  const rebased = findRebase(dirname(folder), branchRef(name));
  if (rebased !== undefined) throw beingRebased(name, rebased);
  return found.tip;
}

/** The working tree in which a branch is checked out, even if it has no commit yet. */
async function findCheckout(
  context: WorkspaceContext,
  root: string,
  name: string,
): Promise<string | undefined> {
  const { output } = await runGit(context, ['worktree', 'list', '--porcelain', '-z'], { cwd: root });
  const entries = output.toString('utf8').split('\0\0');
  const entry = entries.find((text) => text.split('\0').includes(`branch ${branchRef(name)}`));
  return entry === undefined ? undefined : (/(?:^|\0)worktree ([^\0]*)/u.exec(entry)?.[1] ?? root);
}

function checkedOut(name: string, place: string): Fault {
  return new Fault('E_CONFLICT', `The branch "${name}" is checked out in ${place}.`, {
    hint: 'Choose another name, or check out another branch there: a run does not change what is checked out.',
    details: { field: 'branch', branch: name, path: place },
  });
}

function beingRebased(name: string, place: string): Fault {
  return new Fault('E_CONFLICT', `The branch "${name}" is being rebased in ${place}.`, {
    hint: 'Finish or abort the rebase there, or choose another name: a rebase cannot finish if its branch was moved.',
    details: { field: 'branch', branch: name, path: place },
  });
}

async function isRefName(context: WorkspaceContext, root: string, ref: string): Promise<boolean> {
  const { exitCode } = await runGit(context, ['check-ref-format', ref], { cwd: root, accept: [1] });
  return exitCode === 0;
}

function assertBranchName(name: string, isRef: boolean): void {
  // A full ref would become a branch below refs/heads/refs/heads.
  if (isRef && !/^(?:-|refs\/)/u.test(name) && name !== 'HEAD') return;
  throw new Fault('E_VALIDATION', `"${name}" is not a valid name of a branch.`, {
    hint: 'Use letters, digits, dashes and slashes, such as deed/fix-login.',
    details: { field: 'branch', branch: name },
  });
}

/** The branch that is checked out in a tree. */
export async function readCurrentBranch(context: WorkspaceContext, root: string): Promise<string> {
  const args = ['symbolic-ref', '--quiet', '--short', 'HEAD'];
  const { exitCode, output } = await runGit(context, args, { cwd: root, accept: [1, 128] });
  if (exitCode === 0) return output.toString('utf8').trim();
  throw new Fault('E_VALIDATION', `No branch is checked out in ${root}.`, {
    hint: 'Name the branch with --branch.',
    details: { field: 'branch' },
  });
}
