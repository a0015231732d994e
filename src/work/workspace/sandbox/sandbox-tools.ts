import { findProgram } from '../../../system/find-program.ts';
import type { WorkspaceContext } from '../workspace.ts';

/** The programs that make a sandbox, by their full paths. */
export interface SandboxTools {
  readonly shell: string;
  readonly mount: string;
  readonly unshare: string;
  readonly bwrap: string;
  /** Lets root run a command as the owner of a tree; empty where it is missing. */
  readonly setpriv: string;
}

/** Folders that hold system programs even where an account's PATH leaves them out. */
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';

/** Finds them; `missing` names those that are not there. */
export function findSandboxTools(
  context: WorkspaceContext,
  systemPath: string = SYSTEM_PATH,
): { readonly tools: SandboxTools } | { readonly missing: readonly string[] } {
  // The system's own come first: a program of that name in the account's folders is none that should hold the walls.
  const path = `${systemPath}:${context.env.PATH ?? ''}`;
  const find = (name: string): string => findProgram(name, path) ?? '';
  const found = { sh: find('sh'), mount: find('mount'), unshare: find('unshare'), bwrap: find('bwrap') };
  const missing = Object.entries(found).flatMap(([name, place]) => (place === '' ? [name] : []));
  if (missing.length > 0) return { missing };
  const { sh, mount, unshare, bwrap } = found;
  return { tools: { shell: sh, mount, unshare, bwrap, setpriv: find('setpriv') } };
}
