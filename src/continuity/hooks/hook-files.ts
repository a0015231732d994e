import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { quoteForShell } from '../../base/quote-for-shell.ts';
import { faultFromSystem } from '../../base/system-fault.ts';
import { readFileIfPresent, writeFileDurably } from '../../system/durable-file.ts';
import { splitCommand } from '../loop/split-command.ts';
import {
  addClaudeHooks,
  hasClaudeHooks,
  programsOfClaudeHooks,
  removeClaudeHooks,
} from './claude-settings.ts';
import { isOurPlugin, openCodePlugin, programOfPlugin } from './opencode-plugin.ts';

export type HookHost = 'claude' | 'opencode';

export interface HookPlaces {
  readonly userHome: string;
  readonly cwd: string;
  /** The hosts let their user move their configuration by variables; hooks that they never look at would be none. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** In the project's own configuration instead of the user's. */
  readonly project: boolean;
}

export interface HookChange {
  readonly host: HookHost;
  readonly path: string;
  readonly before: string | undefined;
  /** Nothing when the file is to go. */
  readonly after: string | undefined;
}

/** Where a host looks for its hooks. */
export function hookPath(host: HookHost, places: HookPlaces): string {
  if (host === 'claude') {
    return join(places.project ? join(places.cwd, '.claude') : hostFolder(host, places), 'settings.json');
  }
  return join(places.project ? join(places.cwd, '.opencode') : hostFolder(host, places), 'plugin/vybe.js');
}

/** The folder of a host's own configuration for this user. */
export function hostFolder(host: HookHost, { userHome, env }: Omit<HookPlaces, 'project'>): string {
  if (host === 'claude') return env.CLAUDE_CONFIG_DIR || join(userHome, '.claude');
  return join(env.XDG_CONFIG_HOME || join(userHome, '.config'), 'opencode');
}

/** What installing would write. Contract: reads only. */
export function planInstall(host: HookHost, places: HookPlaces, program: readonly string[]): HookChange {
  const { path, text } = readTarget(host, places);
  if (host === 'opencode') {
    if (text !== undefined && !isOurPlugin(text)) throw foreignPlugin(path);
    return { host, path, before: text, after: openCodePlugin(program) };
  }
  const command = program.map(quoteForShell).join(' ');
  return {
    host,
    path,
    before: text,
    after: renderSettings(addClaudeHooks(parseSettings(text, path), command), text),
  };
}

/** What uninstalling would write. Contract: reads only. */
export function planUninstall(host: HookHost, places: HookPlaces): HookChange {
  const { path, text } = readTarget(host, places);
  if (text === undefined) return { host, path, before: undefined, after: undefined };
  if (host === 'opencode') return { host, path, before: text, after: isOurPlugin(text) ? undefined : text };
  const settings = parseSettings(text, path);
  if (!hasClaudeHooks(settings)) return { host, path, before: text, after: text };
  return { host, path, before: text, after: renderSettings(removeClaudeHooks(settings), text) };
}

export function isInstalled(host: HookHost, places: HookPlaces): boolean {
  const { path, text } = readTarget(host, places);
  if (text === undefined) return false;
  return host === 'opencode' ? isOurPlugin(text) : hasClaudeHooks(parseSettings(text, path));
}

/** The programs that our hooks call, each as its words; one, unless versions of ours have left several. */
export function installedPrograms(host: HookHost, places: HookPlaces): readonly (readonly string[])[] {
  const { path, text } = readTarget(host, places);
  if (text === undefined) return [];
  if (host === 'opencode') return isOurPlugin(text) ? [programOfPlugin(text) ?? []] : [];
  const commands = new Set(programsOfClaudeHooks(parseSettings(text, path)));
  return [...commands].map((command) => splitCommand(command, 'command'));
}

/** Writes a change by replacement, with a copy of the file as it was beside it. */
export function applyHookChange({ path, before, after }: HookChange): void {
  if (before === after) return;
  try {
    mkdirSync(dirname(path), { recursive: true });
    if (before !== undefined) writeFileDurably(`${path}.vybe-backup`, before);
    if (after === undefined) rmSync(path, { force: true });
    else writeFileDurably(path, after, { mode: before === undefined ? 0o600 : lstatSync(path).mode & 0o777 });
  } catch (error) {
    throw faultFromSystem(error, 'write', path);
  }
}

/** A settings file may be a link into somebody's dotfiles; then the file behind it is changed and the link stays. */
function readTarget(host: HookHost, places: HookPlaces): { path: string; text: string | undefined } {
  const named = hookPath(host, places);
  const path = existsSync(named) ? realpathSync(named) : named;
  return { path, text: readFileIfPresent(path) };
}

function parseSettings(text: string | undefined, path: string): Record<string, unknown> {
  if (text === undefined || text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isPlainObject(value)) return value;
  } catch {
    // Told below.
  }
  throw new Fault('E_CONFIG', `${path} is not a JSON object.`, {
    hint: 'Nothing was changed. Mend the file by hand, then try again.',
    details: { path },
  });
}

function renderSettings(settings: object, previous: string | undefined): string {
  const indent = /\n([ \t]+)"/u.exec(previous ?? '')?.[1] ?? '  ';
  return `${JSON.stringify(settings, null, indent)}\n`;
}

function foreignPlugin(path: string): Fault {
  return new Fault('E_CONFLICT', `${path} is a plugin of somebody else.`, {
    hint: 'Move it to another name, then try again.',
    details: { path },
  });
}
