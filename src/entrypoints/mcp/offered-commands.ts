import { Fault } from '../../base/fault.ts';
import { nearest } from '../../base/nearest.ts';
import type { Command } from '../../contract/command.ts';
import type { McpHost, McpOffer } from './mcp-host.ts';

/** Whether a client can call a command. Streams are excluded: a tool result cannot be a stream. */
export function isOffered({ path, kind }: Command, { withheld }: McpOffer): boolean {
  return !withheld.test(path) && kind !== 'stream';
}

/** Loads one offered command; the fault for any other says who can run it, or suggests the nearest. */
export async function offeredCommand(
  path: string,
  { table, tool, offer }: Pick<McpHost, 'table' | 'tool' | 'offer'>,
): Promise<Command> {
  if (table.has(path)) {
    const found = await table.load(path);
    if (isOffered(found, offer)) return found;
    throw new Fault('E_NOT_FOUND', `"${path}" is not offered over MCP.`, {
      hint: `A person can run it in a terminal: ${tool.name} ${path}`,
      details: { field: 'command', offered: false },
    });
  }
  const offered = (await table.loadAll()).filter((command) => isOffered(command, offer));
  const suggestion = nearest(
    path,
    offered.map((command) => command.path),
  );
  throw new Fault('E_NOT_FOUND', `Unknown command "${path}".`, {
    hint: suggestion ? `Did you mean "${suggestion}"?` : 'Call find for a list of commands.',
    details: { field: 'command', ...(suggestion && { suggestion }) },
  });
}
