import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { quoteForShell } from '../../base/quote-for-shell.ts';
import { parseJsonText, rewriteJson } from '../../base/rewrite-json.ts';
import { faultFromSystem } from '../../base/system-fault.ts';
import { applyEdits } from '../../base/text-edit.ts';
import { resolveLink } from '../../system/resolve-link.ts';
import { ownUid } from '../../system/account.ts';
import { readFileIfPresent, writeFileDurably } from '../../system/durable-file.ts';
import { findForeignOwner } from '../../system/foreign-access.ts';
import { splitCommand } from '../loop/split-command.ts';
import { addHooks, hasHooks, programsOfHooks, removeHooks } from './settings-hooks.ts';
import { isVybePlugin, openCodePlugin, programOfPlugin } from './opencode-plugin.ts';

export type HookHost = 'claude' | 'opencode';

export interface HookLocation {
  readonly userHome: string;
  readonly cwd: string;
  /** Hosts let users move their configuration folder by environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Use the configuration of the project instead of the user's. */
  readonly project: boolean;
}

export interface HookChange {
  readonly host: HookHost;
  readonly path: string;
  readonly before: string | undefined;
  /** Undefined if the file is to be deleted. */
  readonly after: string | undefined;
}

/** The file in which a host reads its hooks. */
export function hookPath(host: HookHost, location: HookLocation): string {
  if (host === 'claude') {
    return join(
      location.project ? join(location.cwd, '.claude') : hostFolder(host, location),
      'settings.json',
    );
  }
  return join(
    location.project ? join(location.cwd, '.opencode') : hostFolder(host, location),
    'plugin/vybe.js',
  );
}

/** The configuration folder of a host for this user. */
export function hostFolder(host: HookHost, { userHome, env }: Omit<HookLocation, 'project'>): string {
  if (host === 'claude') return env.CLAUDE_CONFIG_DIR || join(userHome, '.claude');
  return join(env.XDG_CONFIG_HOME || join(userHome, '.config'), 'opencode');
}

/** Plans an install. Contract: reads only. */
export function planInstall(host: HookHost, location: HookLocation, program: readonly string[]): HookChange {
  assertOwner(hookPath(host, location));
  if (location.project) assertInside(hookPath(host, location), location.cwd);
  const { path, text } = readTarget(host, location);
  if (host === 'opencode') {
    if (text !== undefined && !isVybePlugin(text)) throw foreignPlugin(path);
    return { host, path, before: text, after: openCodePlugin(program) };
  }
  const command = program.map(quoteForShell).join(' ');
  return {
    host,
    path,
    before: text,
    after: renderSettings(addHooks(parseSettings(text, path), 'claude', command), text),
  };
}

/** Plans an uninstall. Contract: reads only. */
export function planUninstall(host: HookHost, location: HookLocation): HookChange {
  const { path, text } = readTarget(host, location);
  if (text === undefined) return { host, path, before: undefined, after: undefined };
  if (host === 'opencode') return { host, path, before: text, after: isVybePlugin(text) ? undefined : text };
  const settings = parseSettings(text, path);
  if (!hasHooks(settings)) return { host, path, before: text, after: text };
  return { host, path, before: text, after: renderSettings(removeHooks(settings), text) };
}

export function isInstalled(host: HookHost, location: HookLocation): boolean {
  const { path, text } = readTarget(host, location);
  if (text === undefined) return false;
  return host === 'opencode' ? isVybePlugin(text) : hasHooks(parseSettings(text, path));
}

/** The commands that the installed hooks call, each as argv; several if different versions installed them. */
export function installedPrograms(host: HookHost, location: HookLocation): readonly (readonly string[])[] {
  const { path, text } = readTarget(host, location);
  if (text === undefined) return [];
  if (host === 'opencode') return isVybePlugin(text) ? [programOfPlugin(text) ?? []] : [];
  const commands = new Set(programsOfHooks(parseSettings(text, path)));
  return [...commands].map((command) => splitCommand(command, 'command'));
}

/** Applies a change: saves a backup next to the file, then replaces the file atomically. */
export function applyHookChange({ path, before, after }: HookChange): void {
  if (before === after) return;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    if (before !== undefined) writeFileDurably(`${path}.vybe-backup`, before);
    if (after === undefined) rmSync(path, { force: true });
    else writeFileDurably(path, after, { mode: before === undefined ? 0o600 : lstatSync(path).mode & 0o777 });
  } catch (error) {
    throw faultFromSystem(error, 'write', path);
  }
}

/** Links are followed, so a file or folder of another account could lead root to any file. */
export function assertOwner(path: string): void {
  const uid = ownUid();
  const found = findForeignOwner(dirname(path), uid) ?? findForeignOwner(path, uid);
  if (found === undefined) return;
  throw new Fault('E_CONFIG', `${found.path} ${found.problem}, so nothing is installed there.`, {
    hint: `${found.fix}.`,
    details: { path: found.path, problem: found.problem },
  });
}

/** A cloned project may contain a link to the settings of the user, or to any other file. */
function assertInside(path: string, cwd: string): void {
  let existing = path;
  while (lstatSync(existing, { throwIfNoEntry: false }) === undefined) existing = dirname(existing);
  const target = existsSync(existing) ? realpathSync(existing) : '';
  if (`${target}/`.startsWith(`${realpathSync(cwd)}/`)) return;
  throw new Fault('E_CONFIG', `${existing} points outside the project, so no hook is installed there.`, {
    hint: `Replace ${existing} with a file or folder, or install the hook without --project.`,
    details: { path: existing, target },
  });
}

/** Resolves symbolic links, such as those into a dotfiles folder, so that the target is changed and the link stays. */
function readTarget(host: HookHost, location: HookLocation): { path: string; text: string | undefined } {
  const named = hookPath(host, location);
  const path = resolveLink(named);
  return { path, text: readFileIfPresent(path) };
}

function parseSettings(text: string | undefined, path: string): Readonly<Record<string, unknown>> {
  const settings = parseJsonText(text ?? '');
  if (settings !== undefined) return settings;
  throw new Fault('E_CONFIG', `${path} is not a JSON object.`, {
    hint: 'Nothing was changed. Fix the file, then retry.',
    details: { path },
  });
}

function renderSettings(settings: Readonly<Record<string, unknown>>, previous = ''): string {
  return applyEdits(previous, rewriteJson(previous, settings));
}

function foreignPlugin(path: string): Fault {
  return new Fault('E_CONFLICT', `${path} was not installed by vybe.`, {
    hint: 'Rename or remove it, then retry.',
    details: { path },
  });
}
