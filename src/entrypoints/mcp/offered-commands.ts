import { Fault } from '../../base/fault.ts';
import { nearest } from '../../base/nearest.ts';
import type { Command, CommandTable } from '../../contract/command.ts';

/**
 * Commands that models cannot call: those that change the program, its configuration or the
 * record of what it did, those that run programs without a time
 * limit, and those that only make sense in a shell or need a person at a browser. All are available on the command line.
 */
const WITHHELD =
  /^(?:update|agent login|completion|loop|hook|setup|mcp|web|audit retire|config (?:set|unset|trust))(?: |$)/u;

/** Whether a client can call a command. Streams are excluded: a tool result cannot be a stream. */
export function isOffered({ path, kind }: Command): boolean {
  return !WITHHELD.test(path) && kind !== 'stream';
}

/** Loads one offered command; the fault for any other says who can run it, or suggests the nearest. */
export async function offeredCommand(path: string, table: CommandTable): Promise<Command> {
  if (table.has(path)) {
    const found = await table.load(path);
    if (isOffered(found)) return found;
    throw new Fault('E_NOT_FOUND', `"${path}" is not offered over MCP.`, {
      hint: `A person can run it in a terminal: deed ${path}`,
      details: { field: 'command', offered: false },
    });
  }
  const offered = (await table.loadAll()).filter(isOffered);
  const suggestion = nearest(
    path,
    offered.map((command) => command.path),
  );
  throw new Fault('E_NOT_FOUND', `Unknown command "${path}".`, {
    hint: suggestion ? `Did you mean "${suggestion}"?` : 'Call find for a list of commands.',
    details: { field: 'command', ...(suggestion && { suggestion }) },
  });
}
