import { Fault } from '../../../base/fault.ts';
import { randomHex } from '../../../base/ids.ts';
import { runGit } from '../git.ts';
import type { WorkspaceContext } from '../workspace.ts';
import { placeRefs } from './merge-commit.ts';
import { askRemote } from './run-remote-git.ts';

/** A remote as seen from a clone. */
export interface RemotePlace {
  /** A working tree of the clone, which gets the objects. */
  readonly root: string;
  /** The address of the remote. */
  readonly url: string;
}

/** A move of a ref; null stands for a ref that does not exist, so a move to it deletes the ref. */
export interface RefMove {
  readonly ref: string;
  readonly from: string | null;
  readonly to: string | null;
  /** A ref of the clone that git moves with it, as it does with a remote-tracking branch. */
  readonly trackedBy?: string;
}

/** Reads refs of the remote by name or pattern, such as `refs/deed/items/job_1/*`. */
export async function listRefs(
  context: WorkspaceContext,
  { root, url }: RemotePlace,
  patterns: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { output } = await askRemote(
    context,
    ['ls-remote', '--upload-pack=git-upload-pack', '--', url, ...patterns],
    { cwd: root },
  );
  const lines = output.toString('utf8').split('\n').filter(Boolean);
  return new Map(
    lines.flatMap((line) => {
      const [commit = '', ref = ''] = line.split('\t');
      return patterns.some((pattern) => matches(ref, pattern)) ? [[ref, commit] as const] : [];
    }),
  );
}

/** git also lists refs that only end like a pattern, such as a branch of the name `refs/deed/ledger`. */
function matches(ref: string, pattern: string): boolean {
  return pattern.endsWith('*') ? ref.startsWith(pattern.slice(0, -1)) : ref === pattern;
}

/** How refs are fetched by name; the address and the refs follow. */
export const FETCH = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-recurse-submodules',
  '--no-auto-gc',
  '--upload-pack=git-upload-pack',
];

/** Fetches the objects of refs; no ref of the clone moves. */
export async function fetchRefs(
  context: WorkspaceContext,
  { root, url }: RemotePlace,
  refs: readonly string[],
): Promise<void> {
  if (refs.length === 0) return;
  await askRemote(context, [...FETCH, '--no-write-fetch-head', '--', url, ...refs], { cwd: root });
}

/** Whether the clone has a commit. */
export async function hasCommit(context: WorkspaceContext, root: string, commit: string): Promise<boolean> {
  const { exitCode } = await runGit(context, ['cat-file', '-e', `${commit}^{commit}`], {
    cwd: root,
    accept: [1, 128],
  });
  return exitCode === 0;
}

/**
 * Moves refs of the remote in one atomic step, if each is where the caller expects it. Contract: true if the refs have moved, even if
 * the answer of the remote was lost; false if another process moved one of them; E_NETWORK if it is unknown or nothing happened.
 */
export async function swapRefs(
  context: WorkspaceContext,
  place: RemotePlace,
  moves: readonly RefMove[],
): Promise<boolean> {
  try {
    // Git moves tracking refs only for a remote with a name. Settings of the clone cannot redirect one whose name they do not know.
    const remote = `deed-${randomHex(8)}`;
    const settings = [`url=${place.url}`, ...trackingRules(moves)].map((text) => `remote.${remote}.${text}`);
    const args = [...settings.flatMap((text) => ['-c', text]), 'push', ...pushArguments(remote, moves)];
    await askRemote(context, args, { cwd: place.root });
    return true;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const now = await listRefs(
      context,
      place,
      moves.map(({ ref }) => ref),
    );
    if (moves.every(({ ref, to }) => (now.get(ref) ?? null) === to)) {
      await placeRefs(context, place.root, trackedRefs(moves));
      return true;
    }
    if (moves.some(({ ref, from }) => (now.get(ref) ?? null) !== from)) return false;
    throw error;
  }
}

/** The refs of the clone that git moves with a push that succeeds, and where to. */
export function trackedRefs(moves: readonly RefMove[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    moves.flatMap(({ to, trackedBy }) => (trackedBy === undefined || to === null ? [] : [[trackedBy, to]])),
  );
}

function trackingRules(moves: readonly RefMove[]): readonly string[] {
  return moves.flatMap(({ ref, trackedBy }) =>
    trackedBy === undefined ? [] : [`fetch=+${ref}:${trackedBy}`],
  );
}

/** A leading plus in a refspec would make git ignore the leases; no caller can pass one. */
export function pushArguments(remote: string, moves: readonly RefMove[]): readonly string[] {
  return [
    '--quiet',
    '--atomic',
    '--no-verify',
    '--no-recurse-submodules',
    '--receive-pack=git-receive-pack',
    ...moves.map(({ ref, from }) => `--force-with-lease=${ref}:${from ?? ''}`),
    '--',
    remote,
    ...moves.map(({ ref, to }) => `${to === null ? '' : commitId(to)}:${ref}`),
  ];
}

function commitId(text: string): string {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u.test(text)) return text;
  throw new Error(`"${text}" is not the id of a commit`);
}
