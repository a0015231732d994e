import type { HiddenPlace } from './hidden-places.ts';

/** Everything that decides what a command can see, write and reach. */
export interface SandboxPlan {
  /** What is shown at the tree's place, and where that is. */
  readonly tree: { readonly source: string; readonly at: string };
  /** Further folders that are shown elsewhere, after everything else. */
  readonly binds: readonly { readonly source: string; readonly at: string; readonly writable: boolean }[];
  readonly temporary: string;
  readonly scratch: { readonly host: string; readonly inside: string };
  readonly hidden: readonly HiddenPlace[];
  readonly sockets: readonly string[];
  readonly kernelControls: readonly string[];
  readonly writePaths: readonly string[];
  readonly readPaths: readonly string[];
  readonly network: boolean;
  /** The account inside, where the outer one had to become the root of a namespace to mount. */
  readonly account?: { readonly uid: number; readonly gid: number };
  /** The account that the command becomes, where root works for the owner of a tree. */
  readonly become?: { readonly uid: number; readonly gid: number };
  readonly cwd: string;
}

const NOTHING = '/dev/null';

/**
 * Renders the arguments of bubblewrap. The order is the policy: later mounts lie on earlier ones. First the whole machine,
 * read-only; then what is hidden or private; then what the caller opened again; then the tree.
 */
export function renderSandbox(plan: SandboxPlan): readonly string[] {
  return [
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    // Root needs no capability to write these: without the cover a command could name the program that the kernel starts on a crash.
    ...plan.kernelControls.flatMap((path) => ['--ro-bind', path, path]),
    '--bind',
    plan.temporary,
    '/tmp',
    '--bind',
    plan.temporary,
    '/var/tmp',
    '--tmpfs',
    '/run',
    ...plan.hidden.flatMap(({ path, folder }) =>
      folder ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', NOTHING, path],
    ),
    ...plan.readPaths.flatMap((path) => ['--ro-bind-try', path, path]),
    ...plan.writePaths.flatMap((path) => ['--bind-try', path, path]),
    '--bind',
    plan.scratch.host,
    plan.scratch.inside,
    '--bind',
    plan.tree.source,
    plan.tree.at,
    ...plan.binds.flatMap(({ source, at, writable }) => [writable ? '--bind' : '--ro-bind', source, at]),
    ...plan.sockets.flatMap((path) => ['--ro-bind-try', NOTHING, path]),
    ...(plan.account === undefined
      ? []
      : ['--unshare-user', '--uid', String(plan.account.uid), '--gid', String(plan.account.gid)]),
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(plan.network ? [] : ['--unshare-net']),
    // Capabilities of root would let a command mount the machine writable again; a terminal of ours would let it type into it.
    '--cap-drop',
    'ALL',
    ...(plan.become === undefined ? [] : ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID']),
    '--new-session',
    '--die-with-parent',
    '--chdir',
    plan.cwd,
  ];
}

/** Renders what becomes the owner of the tree: with root's number go the last capabilities, and nothing brings them back. */
export function renderBecoming({ become }: SandboxPlan, setpriv: string): readonly string[] {
  if (become === undefined) return [];
  return [setpriv, '--reuid', String(become.uid), '--regid', String(become.gid), '--clear-groups', '--'];
}
