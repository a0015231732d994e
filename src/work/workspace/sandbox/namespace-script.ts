import { lstatSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { MachineMount } from '../../../system/machine-mounts.ts';
import { isWithin } from '../resolve-tree.ts';
import { renderOverlays, renderSizeLimit, type OverlayMount } from './mount-script.ts';
import { EMPTY_DEVICE, type SandboxPlan } from './render-sandbox.ts';
import type { SandboxTools } from './sandbox-tools.ts';
import { quoteForShell } from '../../../base/quote-for-shell.ts';

export interface NamespaceScript {
  readonly mounts: readonly OverlayMount[];
  readonly machine: readonly MachineMount[];
  readonly plan: SandboxPlan;
  readonly root: boolean;
  readonly maxFileBytes?: number | undefined;
}

/** The new root, relative to the folder of the workspace. */
const ROOT = 'root';
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];

/**
 * Renders the script of the first process in new user, mount and pid namespaces: it builds a read-only view of the machine with the
 * workspace in it, makes that its root, and runs the command without privileges as a child. It stays the first process, because a
 * command that is the first process of a namespace ignores signals and never reaps.
 */
export function renderNamespaceScript(tools: SandboxTools, script: NamespaceScript): string {
  const { plan, machine, mounts, root } = script;
  const mount = quoteForShell(tools.mount);
  const at = (path: string): string => quoteForShell(path === '/' ? ROOT : `${ROOT}${path}`);
  return [
    'set -e',
    'umask 022',
    // Before the overlays, so that the view of the machine does not contain them.
    `${mount} --rbind / ${ROOT}`,
    IS_GONE,
    ...machine.map((found) => {
      const options = ['remount', 'bind', 'ro', ...found.flags].join(',');
      return unlessGone(found, `${mount} -o ${options} none ${at(found.at)}`);
    }),
    ...renderOverlays(mounts, tools.mount, { userxattr: !root }),
    ...renderPrivateFolders(tools, plan, at),
    ...renderBinds(tools, script, at),
    ...plan.hidden.flatMap(({ path, folder }) => (folder ? [`${mount} -o remount,ro none ${at(path)}`] : [])),
    ...(plan.network || tools.ip === '' ? [] : [`${quoteForShell(tools.ip)} link set lo up || :`]),
    `cd ${ROOT}`,
    `${quoteForShell(tools.pivotRoot)} . .`,
    `${quoteForShell(tools.umount)} -l .`,
    `cd ${quoteForShell(plan.cwd)}`,
    ...renderSizeLimit(script.maxFileBytes),
    `${renderDrop(tools, plan)} "$@"`,
    'exit $?',
  ].join('\n');
}

type Place = (path: string) => string;

/**
 * Defines `is_gone`, which looks for the place of a mount below the new root. Other programs may have unmounted something since the machine
 * was looked at, and removing the folder of a mount ends it in this namespace too.
 */
const IS_GONE = `is_gone() {
  while read -r _ _ _ _ place _; do
    case $place in *"/${ROOT}$1") return 1 ;; esac
  done < /proc/self/mountinfo
}`;

/** Runs a command for a mount of the machine; its failure counts only if the mount is still there. */
function unlessGone({ at, listed }: MachineMount, command: string): string {
  const place = quoteForShell(at === '/' ? '' : listed);
  return `reason=$(${command} 2>&1) || is_gone ${place} || { echo "$reason" >&2; exit 1; }`;
}

function renderPrivateFolders(tools: SandboxTools, plan: SandboxPlan, at: Place): readonly string[] {
  const mount = quoteForShell(tools.mount);
  const tmpfs = (path: string): string => `${mount} -t tmpfs -o nosuid,nodev,mode=755 tmpfs ${at(path)}`;
  const makeFolder = (path: string): string => `${quoteForShell(tools.mkdir)} -p ${at(path)}`;
  return [
    tmpfs('/dev'),
    ...DEVICES.map((name) => `: > ${at(`/dev/${name}`)}; ${mount} --bind /dev/${name} ${at(`/dev/${name}`)}`),
    `${quoteForShell(tools.mkdir)} -m 1777 ${at('/dev/shm')}; ${quoteForShell(tools.mkdir)} ${at('/dev/pts')}`,
    `${mount} -t tmpfs -o nosuid,nodev,mode=1777 tmpfs ${at('/dev/shm')}`,
    `${mount} -t devpts -o newinstance,nosuid,noexec,ptmxmode=0666,mode=620 devpts ${at('/dev/pts')}`,
    ...[
      ['../proc/self/fd', 'fd'],
      ['../proc/self/fd/0', 'stdin'],
      ['../proc/self/fd/1', 'stdout'],
      ['../proc/self/fd/2', 'stderr'],
      ['pts/ptmx', 'ptmx'],
    ].map(([target, name]) => `PATH=/usr/bin:/bin ln -s ${target} ${at(`/dev/${name}`)}`),
    `${mount} -t proc -o nosuid,nodev,noexec proc ${at('/proc')}`,
    // Root can write these without capabilities; other accounts can write the files of their own namespaces.
    ...plan.kernelControls.flatMap((path) => [
      `${mount} --bind ${at(path)} ${at(path)}`,
      `${mount} -o remount,bind,ro,nosuid,nodev,noexec none ${at(path)}`,
    ]),
    ...['/tmp', '/var/tmp'].map((path) => `${mount} --bind ${quoteForShell(plan.temporary)} ${at(path)}`),
    tmpfs('/run'),
    ...(plan.home === undefined
      ? []
      : [makeFolder(plan.home.at), `${mount} --bind ${quoteForShell(plan.home.host)} ${at(plan.home.at)}`]),
    ...plan.hidden.flatMap(({ path, folder }) =>
      folder ? [makeFolder(path), tmpfs(path)] : [`${mount} --bind ${EMPTY_DEVICE} ${at(path)}`],
    ),
  ];
}

function renderBinds(
  tools: SandboxTools,
  { plan, machine }: Pick<NamespaceScript, 'plan' | 'machine'>,
  at: Place,
): readonly string[] {
  const mount = quoteForShell(tools.mount);
  const bind = (source: string, target: string, writable: boolean): readonly string[] => {
    const stats = lstatSync(source, { throwIfNoEntry: false });
    // Another link is not followed: its target may be hidden.
    if (stats === undefined || (stats.isSymbolicLink() && (writable || !isLinkToShownFile(plan, source))))
      return [];
    const point = stats.isDirectory()
      ? `${quoteForShell(tools.mkdir)} -p ${at(target)}`
      : `${quoteForShell(tools.mkdir)} -p ${at(dirname(target))}; [ -e ${at(target)} ] || : > ${at(target)}`;
    return writable
      ? [point, `${mount} --rbind ${quoteForShell(source)} ${at(target)}`]
      : [
          point,
          `${mount} --bind ${quoteForShell(source)} ${at(target)}`,
          `${mount} -o ${['remount', 'bind', 'ro', 'nosuid', 'nodev', ...flagsOf(machine, source)].join(',')} none ${at(target)}`,
        ];
  };
  return [
    ...plan.readPaths.flatMap((path) => bind(path, path, false)),
    ...plan.writePaths.flatMap((path) => bind(path, path, true)),
    ...bind(plan.scratch.host, plan.scratch.inside, true),
    ...bind(plan.tree.source, plan.tree.at, true),
    ...plan.binds.flatMap(({ source, at: target, writable }) => bind(source, target, writable)),
    ...plan.sockets.map((path) => `[ ! -e ${at(path)} ] || ${mount} --bind ${EMPTY_DEVICE} ${at(path)}`),
  ];
}

/** Whether a link leads to a file that is shown itself, such as the executable of deed under another of its names. */
function isLinkToShownFile({ readPaths }: SandboxPlan, link: string): boolean {
  try {
    const real = realpathSync(link);
    return readPaths.includes(real) && lstatSync(real).isFile();
  } catch {
    return false;
  }
}

/** The flags of the mount that contains a path. */
function flagsOf(machine: readonly MachineMount[], path: string): readonly string[] {
  const around = machine.filter(({ at }) => isWithin(at, path));
  return around.toSorted((left, right) => right.at.length - left.at.length)[0]?.flags ?? [];
}

/** The program that runs the command without privileges: as its own account again, or as the owner of the tree. */
function renderDrop(tools: SandboxTools, { account, runAs }: SandboxPlan): string {
  const words = [
    ...(account === undefined
      ? []
      : [tools.unshare, '-U', `--map-user=${account.uid}`, `--map-group=${account.gid}`, '--']),
    tools.setpriv,
    ...(runAs === undefined
      ? []
      : ['--reuid', String(runAs.uid), '--regid', String(runAs.gid), '--clear-groups']),
    '--no-new-privs',
    ...(account === undefined ? ['--bounding-set=-all'] : []),
    '--inh-caps=-all',
    '--ambient-caps=-all',
    '--',
  ];
  return words.map((word) => quoteForShell(word)).join(' ');
}
