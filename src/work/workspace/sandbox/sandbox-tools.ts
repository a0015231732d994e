import { findProgram } from '../../../system/find-program.ts';
import type { WorkspaceContext } from '../workspace.ts';

/** The programs that set up a sandbox, by their absolute paths. */
export interface SandboxTools {
  readonly shell: string;
  readonly mount: string;
  readonly unshare: string;
  readonly bwrap: string;
  /** Lets root run a command as the owner of a tree; empty if missing. */
  readonly setpriv: string;
}

/** Folders with system programs that may not be in the account's PATH. */
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';

/** Finds the programs; `missing` lists those that were not found. */
export function findSandboxTools(
  context: WorkspaceContext,
  systemPath: string = SYSTEM_PATH,
): { readonly tools: SandboxTools } | { readonly missing: readonly string[] } {
  // System folders come first, so that a program in the account's folders cannot replace a part of the sandbox.
  const path = `${systemPath}:${context.env.PATH ?? ''}`;
  const find = (name: string): string => findProgram(name, path) ?? '';
  const found = { sh: find('sh'), mount: find('mount'), unshare: find('unshare'), bwrap: find('bwrap') };
  const missing = Object.entries(found).flatMap(([name, place]) => (place === '' ? [name] : []));
  if (missing.length > 0) return { missing };
  const { sh, mount, unshare, bwrap } = found;
  return { tools: { shell: sh, mount, unshare, bwrap, setpriv: find('setpriv') } };
}
