import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { quoteForShell } from '../../base/quote-for-shell.ts';
import { isVybePlugin, openCodePlugin } from '../../continuity/hooks/opencode-plugin.ts';
import { hostFolder } from '../../continuity/hooks/hook-files.ts';
import { addHooks, removeHooks, type SettingsHost } from '../../continuity/hooks/settings-hooks.ts';
import type { System } from '../../contract/system.ts';
import { findProgram } from '../../system/find-program.ts';
import { deedProgram, vybeProgram } from '../vybe-program.ts';
import { instructionsPart } from './instructions-part.ts';
import { COMMAND_AND_ARGS, mcpPart, OPENCODE_SERVER } from './mcp-part.ts';
import { jsonPart, unreadable, type FilePart, type PartName, type SetupHost } from './setup-part.ts';
import { tomlMcpPart } from './toml-mcp-part.ts';

interface HostDescription {
  readonly title: string;
  /** Its program on the PATH. */
  readonly program: string;
  readonly folder: (system: System) => string;
  readonly parts: (folder: string, system: System) => readonly FilePart[];
  /** Parts that it does not have, with the reason. */
  readonly without?: Partial<Readonly<Record<PartName, string>>>;
  /** What a person has to do afterwards, in the host itself. */
  readonly next?: string;
}

/** Where each host keeps what it reads in every session of this account. Versions that were tested: see docs/setup.md. */
export const HOSTS: Readonly<Record<SetupHost, HostDescription>> = {
  claude: {
    title: 'Claude Code',
    program: 'claude',
    folder: (system) => hostFolder('claude', system),
    parts: (folder, system) => [
      mcpIn('claude', claudeState(folder, system), system),
      hooksIn('claude', join(folder, 'settings.json'), system),
      instructionsPart({ host: 'claude', path: join(folder, 'CLAUDE.md') }),
    ],
  },
  codex: {
    title: 'Codex',
    program: 'codex',
    folder: ({ env, userHome }) => env.CODEX_HOME || join(userHome, '.codex'),
    parts: (folder, system) => [
      tomlMcpPart({ host: 'codex', path: join(folder, 'config.toml') }, server(system), starter(system)),
      hooksIn('codex', join(folder, 'hooks.json'), system),
      instructionsPart({ host: 'codex', path: join(folder, 'AGENTS.md') }),
    ],
    next: 'Start codex and trust the hooks with /hooks; until then Codex skips them.',
  },
  gemini: {
    title: 'Gemini CLI',
    program: 'gemini',
    folder: ({ env, userHome }) => join(env.GEMINI_CLI_HOME || userHome, '.gemini'),
    parts: (folder, system) => [
      mcpIn('gemini', join(folder, 'settings.json'), system),
      hooksIn('gemini', join(folder, 'settings.json'), system),
      instructionsPart({ host: 'gemini', path: join(folder, 'GEMINI.md') }),
    ],
  },
  opencode: {
    title: 'OpenCode',
    program: 'opencode',
    folder: (system) => hostFolder('opencode', system),
    parts: (folder, system) => [
      mcpPart(
        { host: 'opencode', path: openCodeConfiguration(folder) },
        OPENCODE_SERVER,
        server(system),
        starter(system),
      ),
      pluginPart(join(folder, 'plugin/vybe.js'), system),
      instructionsPart({ host: 'opencode', path: join(folder, 'AGENTS.md') }),
    ],
  },
  cursor: {
    title: 'Cursor',
    program: 'cursor-agent',
    folder: ({ userHome }) => join(userHome, '.cursor'),
    parts: (folder, system) => [mcpIn('cursor', join(folder, 'mcp.json'), system)],
    without: {
      hooks: 'Its hooks could not be tested here; it may run those of Claude Code.',
      instructions: 'It reads instructions of projects only.',
    },
  },
};

/** The hosts of this account: those with a configuration folder, and those on the PATH. */
export function findHosts(system: System): readonly SetupHost[] {
  return (Object.keys(HOSTS) as SetupHost[]).filter(
    (host) =>
      existsSync(HOSTS[host].folder(system)) ||
      findProgram(HOSTS[host].program, system.env.PATH ?? '') !== undefined,
  );
}

function server(system: System): readonly string[] {
  return [...deedProgram(system), 'mcp', 'serve'];
}

/** Whether the program of a server exists. */
function starter({ env }: System): (command: readonly string[]) => boolean {
  return ([program = '']) =>
    isAbsolute(program) ? existsSync(program) : findProgram(program, env.PATH ?? '') !== undefined;
}

function mcpIn(host: SetupHost, path: string, system: System): FilePart {
  return mcpPart({ host, path }, COMMAND_AND_ARGS, server(system), starter(system));
}

function hooksIn(host: SettingsHost, path: string, system: System): FilePart {
  const command = vybeProgram(system).map(quoteForShell).join(' ');
  return jsonPart(
    { host, part: 'hooks', path },
    (settings) => addHooks(settings, host, command),
    (settings) => removeHooks(settings),
  );
}

/** The plugin is a whole file, which is replaced as a whole. */
function pluginPart(path: string, system: System): FilePart {
  const plugin = openCodePlugin(vybeProgram(system));
  const assertOwn = (text: string): void => {
    if (text !== '' && !isVybePlugin(text)) throw unreadable(path, 'was not written by vybe');
  };
  return {
    host: 'opencode',
    part: 'hooks',
    path,
    add: (text) => {
      assertOwn(text);
      return text === plugin ? [] : [{ offset: 0, removed: text, inserted: plugin }];
    },
    remove: (text) => (isVybePlugin(text) ? [{ offset: 0, removed: text, inserted: '' }] : []),
  };
}

/** Claude Code keeps the servers of the user in its state file, next to its folder unless that was moved. */
function claudeState(folder: string, { env, userHome }: System): string {
  return join(env.CLAUDE_CONFIG_DIR ? folder : userHome, '.claude.json');
}

function openCodeConfiguration(folder: string): string {
  const commented = join(folder, 'opencode.jsonc');
  return existsSync(commented) ? commented : join(folder, 'opencode.json');
}
