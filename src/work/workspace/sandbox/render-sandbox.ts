import type { HiddenPath } from './hidden-paths.ts';
import { INFO_DESCRIPTOR } from './mount-script.ts';

/** Everything that a command can read, write and reach. */
export interface SandboxPlan {
  /** The folder that is mounted as the tree, and its mount point. */
  readonly tree: { readonly source: string; readonly at: string };
  /** Further folders, mounted last. */
  readonly binds: readonly { readonly source: string; readonly at: string; readonly writable: boolean }[];
  readonly temporary: string;
  /** The private home; undefined if the account's home is the root folder. */
  readonly home?: { readonly host: string; readonly at: string };
  readonly scratch: { readonly host: string; readonly inside: string };
  readonly hidden: readonly HiddenPath[];
  readonly sockets: readonly string[];
  readonly kernelControls: readonly string[];
  readonly writePaths: readonly string[];
  readonly readPaths: readonly string[];
  readonly network: boolean;
  /** The account inside the sandbox, if the outer one is root of a user namespace. */
  readonly account?: { readonly uid: number; readonly gid: number };
  /** The account of the command, if root works for the owner of a tree. */
  readonly runAs?: { readonly uid: number; readonly gid: number };
  readonly cwd: string;
}

export const EMPTY_DEVICE = '/dev/null';

/**
 * Renders the arguments of bubblewrap. Their order matters: later mounts cover earlier ones. First the whole machine, read-only; then
 * hidden and private paths; then the paths that the caller allows; then the tree. Hidden folders become read-only last.
 */
export function renderSandbox(plan: SandboxPlan): readonly string[] {
  return [
    '--info-fd',
    String(INFO_DESCRIPTOR),
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    // Root can write these without capabilities: a command could set the program that the kernel starts on a crash.
    ...plan.kernelControls.flatMap((path) => ['--ro-bind', path, path]),
    '--bind',
    plan.temporary,
    '/tmp',
    '--bind',
    plan.temporary,
    '/var/tmp',
    '--tmpfs',
    '/run',
    ...renderParents(plan),
    ...(plan.home === undefined ? [] : ['--bind', plan.home.host, plan.home.at]),
    ...plan.hidden.flatMap(({ path, folder }) =>
      folder ? ['--tmpfs', path] : ['--ro-bind', EMPTY_DEVICE, path],
    ),
    // Again, because the mounts of the hidden folders have emptied them.
    ...renderParents(plan),
    ...plan.readPaths.flatMap((path) => ['--ro-bind-try', path, path]),
    ...plan.writePaths.flatMap((path) => ['--bind-try', path, path]),
    '--bind',
    plan.scratch.host,
    plan.scratch.inside,
    '--bind',
    plan.tree.source,
    plan.tree.at,
    ...plan.binds.flatMap(({ source, at, writable }) => [writable ? '--bind' : '--ro-bind', source, at]),
    ...plan.sockets.flatMap((path) => ['--ro-bind-try', EMPTY_DEVICE, path]),
    // Read-only only now, because the mounts above may create mount points in them.
    ...plan.hidden.flatMap(({ path, folder }) => (folder ? ['--remount-ro', path] : [])),
    ...(plan.account === undefined
      ? []
      : ['--unshare-user', '--uid', String(plan.account.uid), '--gid', String(plan.account.gid)]),
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(plan.network ? [] : ['--unshare-net']),
    // With root's capabilities a command could remount the machine writable; with our terminal it could inject input.
    '--cap-drop',
    'ALL',
    ...(plan.runAs === undefined ? [] : ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID']),
    '--new-session',
    '--die-with-parent',
    '--chdir',
    plan.cwd,
  ];
}

/** Bubblewrap creates missing parents of a mount for itself only; the owner of the tree must get through them too. */
function renderParents({ runAs, tree, binds, readPaths, writePaths }: SandboxPlan): readonly string[] {
  if (runAs === undefined) return [];
  const points = [tree, ...binds].map(({ at }) => at);
  const parents = [...points, ...readPaths, ...writePaths].flatMap((at) => {
    const parts = at.split('/').slice(1, -1);
    return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
  });
  return [...new Set(parents)].flatMap((path) => ['--dir', path]);
}

/** Renders the command that switches to the owner of the tree, which drops the remaining capabilities permanently. */
export function renderRunAs({ runAs }: SandboxPlan, setpriv: string): readonly string[] {
  if (runAs === undefined) return [];
  return [setpriv, '--reuid', String(runAs.uid), '--regid', String(runAs.gid), '--clear-groups', '--'];
}
