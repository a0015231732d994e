import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { jsonPart, unreadable, type FilePart, type JsonSettings } from './setup-part.ts';

/** The name of the MCP server in the configuration of hosts. */
export const SERVER_NAME = 'deed';

/** How a host writes a server that it starts. */
export interface ServerFormat {
  /** The member that contains the servers by name. */
  readonly servers: string;
  readonly entry: (command: readonly string[]) => JsonSettings;
  readonly commandOf: (entry: JsonSettings) => readonly unknown[];
}

/** The format of Claude Code, Gemini CLI and Cursor. */
export const COMMAND_AND_ARGS: ServerFormat = {
  servers: 'mcpServers',
  entry: ([command, ...args]) => ({ command, args }),
  commandOf: ({ command, args }) => [command, ...(Array.isArray(args) ? (args as unknown[]) : [])],
};

export const OPENCODE_SERVER: ServerFormat = {
  servers: 'mcp',
  entry: (command) => ({ type: 'local', command, enabled: true }),
  commandOf: ({ command }) => (Array.isArray(command) ? (command as unknown[]) : []),
};

/** The server entry of a host with JSON configuration. */
export function mcpPart(
  target: Pick<FilePart, 'host' | 'path'>,
  format: ServerFormat,
  command: readonly string[],
  canStart: (command: readonly string[]) => boolean,
): FilePart {
  const { servers } = format;
  const entriesOf = (settings: JsonSettings): JsonSettings => {
    const entries = settings[servers] ?? {};
    if (isPlainObject(entries)) return entries;
    throw unreadable(target.path, `has a "${servers}" that is not an object`);
  };
  const add = (settings: JsonSettings): JsonSettings => {
    const entries = entriesOf(settings);
    const existing = entries[SERVER_NAME];
    if (existing !== undefined) {
      const named = isPlainObject(existing) ? format.commandOf(existing) : [];
      if (isUsableServer(named, target.path, canStart)) return settings;
    }
    return { ...settings, [servers]: { ...entries, [SERVER_NAME]: format.entry(command) } };
  };
  const remove = (settings: JsonSettings): JsonSettings => {
    const { [SERVER_NAME]: own, ...others } = entriesOf(settings);
    if (!isPlainObject(own) || !runsDeed(format.commandOf(own))) return settings;
    const { [servers]: _, ...rest } = settings;
    return Object.keys(others).length === 0 ? rest : { ...settings, [servers]: others };
  };
  return jsonPart({ ...target, part: 'mcp' }, add, remove);
}

/** Whether an existing server is deed and can be started; a server of another program under this name is a conflict. */
export function isUsableServer(
  command: readonly unknown[],
  path: string,
  canStart: (command: readonly string[]) => boolean,
): boolean {
  if (runsDeed(command)) return canStart(command as readonly string[]);
  throw new Fault('E_CONFLICT', `${path} has another MCP server with the name "${SERVER_NAME}".`, {
    hint: 'Rename or remove it, then retry, or leave this part out with --parts.',
    details: { path },
  });
}

export function runsDeed(command: readonly unknown[]): boolean {
  return command.slice(-2).join(' ') === 'mcp serve' && command.every((word) => typeof word === 'string');
}
