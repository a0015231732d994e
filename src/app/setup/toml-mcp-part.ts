import { parse } from 'smol-toml';
import { omit } from '../../base/omit.ts';
import { canonicalJson, isPlainObject } from '../../base/json.ts';
import { applyEdits, type TextEdit } from '../../base/text-edit.ts';
import { COMMAND_AND_ARGS, isUsableServer, runsDeed, SERVER_NAME } from './mcp-part.ts';
import { unreadable, type FilePart, type JsonSettings } from './setup-part.ts';

/** The table of the server with its subtables, up to the next table of another name. */
const OWN_TABLES = new RegExp(
  String.raw`(?:\r?\n)?(?:^[ \t]*\[mcp_servers\.${SERVER_NAME}(?:\.[^\]\n]*)?\][^\n]*\n?(?:(?![ \t]*\[).*(?:\n|$))*)+`,
  'mu',
);

/** The server entry of Codex: a table at the end of its configuration, so that no other line changes. */
export function tomlMcpPart(
  target: Pick<FilePart, 'host' | 'path'>,
  command: readonly string[],
  canStart: (command: readonly string[]) => boolean,
): FilePart {
  const { path } = target;
  const remove = (text: string): readonly TextEdit[] => {
    const own = serversOf(text, path)[SERVER_NAME];
    const match = OWN_TABLES.exec(text);
    if (!isPlainObject(own) || !runsDeed(COMMAND_AND_ARGS.commandOf(own)) || match === null) return [];
    return checked(text, [{ offset: match.index, removed: match[0], inserted: '' }], path);
  };
  const add = (text: string): readonly TextEdit[] => {
    const own = serversOf(text, path)[SERVER_NAME];
    if (own !== undefined) {
      const named = isPlainObject(own) ? COMMAND_AND_ARGS.commandOf(own) : [];
      if (isUsableServer(named, path, canStart)) return [];
    }
    const removal = remove(text);
    const rest = applyEdits(text, removal);
    return checked(text, [...removal, appendTable(rest, command)], path);
  };
  return { ...target, part: 'mcp', add, remove };
}

function appendTable(text: string, [command = '', ...args]: readonly string[]): TextEdit {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' ? '' : text.endsWith('\n') ? newline : newline + newline;
  // A JSON string is a TOML string too.
  const list = args.map((word) => JSON.stringify(word)).join(', ');
  const lines = [
    `[mcp_servers.${SERVER_NAME}]`,
    `command = ${JSON.stringify(command)}`,
    `args = [${list}]`,
    '',
  ];
  return { offset: text.length, removed: '', inserted: gap + lines.join(newline) };
}

/** The text is not written by a TOML library, which would lose comments, so its other values are compared afterwards. */
function checked(text: string, edits: readonly TextEdit[], path: string): readonly TextEdit[] {
  const before = canonicalJson(withoutOwn(text, path));
  try {
    if (before === canonicalJson(withoutOwn(applyEdits(text, edits), path))) return edits;
  } catch {
    // An inline table cannot be continued by a table.
  }
  throw unreadable(path, `defines "mcp_servers" in a way that cannot be changed line by line`);
}

function withoutOwn(text: string, path: string): JsonSettings {
  return { ...omit(read(text, path), 'mcp_servers'), others: omit(serversOf(text, path), SERVER_NAME) };
}

function serversOf(text: string, path: string): JsonSettings {
  const { mcp_servers: servers = {} } = read(text, path);
  return isPlainObject(servers) ? servers : {};
}

function read(text: string, path: string): JsonSettings {
  try {
    return parse(text.replace(/^\uFEFF/u, ''));
  } catch (error) {
    throw unreadable(path, `is not valid TOML (${(error as Error).message.split('\n')[0] ?? ''})`);
  }
}
