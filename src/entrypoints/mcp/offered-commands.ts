import { Fault } from '../../base/fault.ts';
import { nearest } from '../../base/nearest.ts';
import type { Command, CommandTable } from '../../contract/command.ts';

/**
 * Commands that models cannot call: those that change the program, its configuration or the
 * record of what it did, those that run programs without a time
 * limit, and those that only make sense in a shell. All are available on the command line.
 */
const WITHHELD = /^(?:update|completion|loop|hook|mcp|audit retire|config (?:set|unset|trust))(?: |$)/u;

/** The commands that a client can find, describe and call. Streams are excluded: a tool result cannot be a stream. */
export async function offeredCommands(table: CommandTable): Promise<readonly Command[]> {
  const paths = table.paths.filter((path) => !WITHHELD.test(path));
  const commands = await Promise.all(paths.map((path) => table.load(path)));
  return commands.filter(({ kind }) => kind !== 'stream');
}

/** Loads one offered command; the fault for any other suggests the nearest. */
export async function offeredCommand(path: string, table: CommandTable): Promise<Command> {
  const commands = await offeredCommands(table);
  const found = commands.find((command) => command.path === path);
  if (found) return found;
  const suggestion = nearest(
    path,
    commands.map((command) => command.path),
  );
  throw new Fault('E_NOT_FOUND', `Unknown command "${path}".`, {
    hint: suggestion ? `Did you mean "${suggestion}"?` : 'Call find for a list of commands.',
    details: { field: 'command', ...(suggestion && { suggestion }) },
  });
}
