import { Fault } from '../../base/fault.ts';
import { nearest } from '../../base/nearest.ts';
import type { Command, CommandTable } from '../../contract/command.ts';

/**
 * What a model does not get to call: what changes the program or its configuration, what runs programs for as long as they like, and
 * what only makes sense at a prompt. People and their scripts have all of it.
 */
const WITHHELD = /^(?:update|completion|loop|hook|mcp|config (?:set|unset|trust))(?: |$)/u;

/** The commands that a client may find, describe and call. A stream has no end that a tool result could wait for. */
export async function offeredCommands(table: CommandTable): Promise<readonly Command[]> {
  const paths = table.paths.filter((path) => !WITHHELD.test(path));
  const commands = await Promise.all(paths.map((path) => table.load(path)));
  return commands.filter(({ kind }) => kind !== 'stream');
}

/** Loads one offered command; the fault for any other names the nearest. */
export async function offeredCommand(path: string, table: CommandTable): Promise<Command> {
  const commands = await offeredCommands(table);
  const found = commands.find((command) => command.path === path);
  if (found) return found;
  const suggestion = nearest(
    path,
    commands.map((command) => command.path),
  );
  throw new Fault('E_NOT_FOUND', `There is no command "${path}" here.`, {
    hint: suggestion ? `Did you mean "${suggestion}"?` : 'Call find to see which there are.',
    details: { field: 'command', ...(suggestion && { suggestion }) },
  });
}
