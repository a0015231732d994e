import { findProgram } from '../../../system/find-program.ts';
import type { WorkspaceContext } from '../workspace.ts';

/** The programs that set up a sandbox with its own mounts, by their absolute paths; empty if missing. */
export interface SandboxPrograms {
  readonly shell: string;
  readonly mount: string;
  readonly umount: string;
  readonly unshare: string;
  readonly bwrap: string;
  readonly pivotRoot: string;
  readonly mkdir: string;
  /** Lets root run a command as the owner of a tree, and drops privileges. */
  readonly setpriv: string;
  /** Activates the loopback interface of a new network namespace. */
  readonly ip: string;
}

/** A sandbox with its own mounts, and the programs that create it. */
export interface SandboxTools extends SandboxPrograms {
  readonly kind: 'bubblewrap' | 'namespace';
}

/** A sandbox of kernel rules, and the command that applies them. */
export interface LandlockTools {
  readonly kind: 'landlock';
  readonly confine: readonly string[];
}

export type Sandbox = SandboxTools | LandlockTools;

/** Folders with system programs that may not be in the account's PATH. */
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';

const NEEDED: Readonly<Record<SandboxTools['kind'], readonly (keyof SandboxPrograms)[]>> = {
  bubblewrap: ['shell', 'mount', 'unshare', 'bwrap'],
  namespace: ['shell', 'mount', 'umount', 'unshare', 'pivotRoot', 'mkdir', 'setpriv'],
};

const FILES: Readonly<Record<keyof SandboxPrograms, string>> = {
  shell: 'sh',
  mount: 'mount',
  umount: 'umount',
  unshare: 'unshare',
  bwrap: 'bwrap',
  pivotRoot: 'pivot_root',
  mkdir: 'mkdir',
  setpriv: 'setpriv',
  ip: 'ip',
};

/** Finds the programs of a kind of sandbox; `missing` lists the needed ones that were not found. */
export function findSandboxTools(
  context: Pick<WorkspaceContext, 'env'>,
  kind: SandboxTools['kind'],
  systemPath: string = SYSTEM_PATH,
): { readonly tools: SandboxTools } | { readonly missing: readonly string[] } {
  // System folders come first, so that a program in the account's folders cannot replace a part of the sandbox.
  const path = `${systemPath}:${context.env.PATH ?? ''}`;
  const find = (name: keyof SandboxPrograms): string => findProgram(FILES[name], path) ?? '';
  const tools: SandboxTools = {
    kind,
    shell: find('shell'),
    mount: find('mount'),
    umount: find('umount'),
    unshare: find('unshare'),
    bwrap: find('bwrap'),
    pivotRoot: find('pivotRoot'),
    mkdir: find('mkdir'),
    setpriv: find('setpriv'),
    ip: find('ip'),
  };
  const missing = NEEDED[kind].filter((name) => tools[name] === '').map((name) => FILES[name]);
  return missing.length > 0 ? { missing } : { tools };
}
