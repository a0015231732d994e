import { Fault } from '../../../base/fault.ts';
import { runGit } from '../git.ts';
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
  await assertBranchName(context, tree.root, name);
  const [tip, head, place] = await Promise.all([
    readTip(context, tree.root, branchRef(name)),
    readTip(context, tree.root, 'HEAD'),
    findCheckout(context, tree.root, name),
  ]);
  if (place !== undefined) throw checkedOut(name, place);
  const base = tip ?? head;
  if (base !== null) return { name, tip, base };
  throw new Fault('E_VALIDATION', `${tree.root} has no commit from which the branch "${name}" could start.`, {
    hint: 'Commit something first.',
    details: { field: 'branch', branch: name },
  });
}

/** The working tree in which a branch is checked out, if there is one. */
export async function findCheckout(
  context: WorkspaceContext,
  root: string,
  name: string,
): Promise<string | undefined> {
  const { output } = await runGit(context, ['worktree', 'list', '--porcelain', '-z'], { cwd: root });
  const entries = output.toString('utf8').split('\0\0');
  const entry = entries.find((text) => text.split('\0').includes(`branch ${branchRef(name)}`));
  return entry === undefined ? undefined : (/(?:^|\0)worktree ([^\0]*)/u.exec(entry)?.[1] ?? root);
}

export function checkedOut(name: string, place: string): Fault {
  return new Fault('E_CONFLICT', `The branch "${name}" is checked out in ${place}.`, {
    hint: 'Choose another name, or check out another branch there: a run does not change what is checked out.',
    details: { field: 'branch', branch: name, path: place },
  });
}

async function assertBranchName(context: WorkspaceContext, root: string, name: string): Promise<void> {
  const { exitCode } = await runGit(context, ['check-ref-format', branchRef(name)], {
    cwd: root,
    accept: [1],
  });
  // A full ref would become a branch below refs/heads/refs/heads.
  if (exitCode === 0 && !/^(?:-|refs\/)/u.test(name) && name !== 'HEAD') return;
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
