import { Fault } from '../../base/fault.ts';
import type { Command } from '../../contract/command.ts';
import { suggestCommand } from '../../contract/suggest-command.ts';
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
  const words = path.split(/\s+/u);
  const flagAt = words.findIndex((word) => word.startsWith('-'));
  if (flagAt > 0)
    throw new Fault('E_VALIDATION', 'The command contains flags.', {
      hint: `Pass "${words.slice(0, flagAt).join(' ')}" as the command, and its flags in parameters, with underscores.`,
      details: { field: 'command' },
    });
  const paths = offered.map((command) => command.path);
  const members = paths.filter((candidate) => candidate.startsWith(`${path} `));
  const suggestion = members.length > 0 ? undefined : suggestCommand(words, paths);
  throw new Fault('E_NOT_FOUND', `Unknown command "${path}".`, {
    hint: members.length > 0 ? `Use one of ${members.join(', ')}.` : didYouMean(suggestion),
    details: {
      field: 'command',
      ...(suggestion && { suggestion }),
      ...(members.length > 0 && { allowed: members }),
    },
  });
}

function didYouMean(suggestion: string | undefined): string {
  return suggestion ? `Did you mean "${suggestion}"?` : 'Call find for a list of commands.';
}
