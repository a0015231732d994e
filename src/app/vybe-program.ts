import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { quoteForShell } from '../base/quote-for-shell.ts';
import type { System } from '../contract/system.ts';
import { findProgram, listPrograms } from '../system/find-program.ts';

/**
 * The command that a host can use to start `vybe` later, independent of its PATH. A link on the PATH to this executable is preferred,
 * because package managers keep the link when an update moves the file. Folders of a project or of npx are temporary.
 */
export function vybeProgram(system: System): readonly string[] {
  const program = findOwnProgram('vybe', system);
  if (program !== undefined) return program;
  const { path } = system.executable;
  throw new Fault('E_CONFIG', `vybe is neither next to ${path} nor in PATH; hooks and agents call it.`, {
    hint: `Create a link: ${linkCommand(system)}`,
    details: { path: join(dirname(path), 'vybe') },
  });
}

/** The command that creates the link where this account can write and the link is found. */
function linkCommand({ env, executable: { path } }: System): string {
  const folders = [dirname(path), ...(env.PATH ?? '').split(delimiter).filter(isAbsolute)];
  const folder = folders.find(isWritable);
  const link = `ln -s ${quoteForShell(path)} ${quoteForShell(join(folder ?? dirname(path), 'vybe'))}`;
  return folder === undefined ? `sudo ${link}` : link;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Like `vybeProgram`, for `deed`. */
export function deedProgram(system: System): readonly string[] {
  return findOwnProgram('deed', system) ?? [system.executable.path];
}

/** The command line that starts `vybe` in a shell: its name if it is on the PATH, otherwise its path. */
export function vybeCommandLine(system: System): string {
  const isOnPath = findProgram('vybe', system.env.PATH ?? '') !== undefined;
  if (isOnPath) return 'vybe';
  return findOwnProgram('vybe', system)?.map(quoteForShell).join(' ') ?? 'vybe';
}

const TEMPORARY_FOLDER = /[/\\]node_modules[/\\]\.bin$|[/\\]_npx[/\\]/u;

/** Whether this program runs from the cache of npx, which may be deleted at any time. */
export function isTemporary({ executable: { path } }: System): boolean {
  return /[/\\]_npx[/\\]/u.test(path);
}

function findOwnProgram(
  name: 'deed' | 'vybe',
  { env, executable: { path } }: System,
): readonly string[] | undefined {
  const onPath = listPrograms(name, env.PATH ?? '');
  const permanent = onPath.filter((file) => !TEMPORARY_FOLDER.test(dirname(file)));
  const link = permanent.find((file) => isSameFile(file, path));
  if (link !== undefined) return [link];
  const sibling = join(dirname(path), name);
  if (existsSync(sibling)) return [sibling];
  const [other] = [...permanent, ...onPath];
  return other === undefined ? undefined : [other];
}

/** Checks whether two paths are the same file, through symbolic or hard links. */
function isSameFile(left: string, right: string): boolean {
  const [one, two] = [left, right].map((file) => statSync(file, { throwIfNoEntry: false }));
  return one !== undefined && two !== undefined && one.dev === two.dev && one.ino === two.ino;
}
