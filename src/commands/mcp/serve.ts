import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { defineRead, type Command, type CommandContext } from '../../contract/command.ts';

export interface McpRequest {
  readonly transport: 'stdio' | 'http';
  readonly port: number;
  readonly connectionFile: string | undefined;
}

export interface McpServed {
  readonly calls: number;
}

/** Serves the commands of a program to MCP clients until they disconnect; an entrypoint supplies it. */
export type ServeMcp = (request: McpRequest, context: CommandContext) => Promise<McpServed>;

/** The `mcp serve` command; without a server it can be described but not run. */
export function defineMcpServe(serve?: ServeMcp): Command {
  return defineRead({
    path: 'mcp serve',
    summary: 'Offer these commands to MCP clients',
    description:
      'Offers these commands to MCP clients through four tools (find, describe, call-read, call-write) and resources for tasks, runs and receipts. Standard output carries the protocol until the client closes it; over HTTP it serves the loopback and asks for a bearer token',
    params: {
      transport: described(
        v.optional(v.picklist(['stdio', 'http']), 'stdio'),
        'How clients reach it: as a child process, or by streamable HTTP on 127.0.0.1',
      ),
      port: described(
        v.optional(v.pipe(int(), v.minValue(0), v.maxValue(65_535)), 0),
        'The port for http; 0 takes a free one',
      ),
      connection_file: described(
        v.optional(v.pipe(v.string(), v.minLength(1))),
        'Where http writes its address and token, mode 0600 (default: in the home folder)',
      ),
    },
    output: v.object({ transport: v.string(), calls: int() }),
    examples: ['mcp serve', 'mcp serve --transport http --port 7333'],
    errors: ['E_CONFLICT'],
    run: async ({ transport, port, connection_file }, context) => {
      if (serve === undefined) {
        throw new Fault('E_CONFIG', `${context.tool.name} does not serve MCP.`, {
          hint: 'Use the command line.',
        });
      }
      const { calls } = await serve({ transport, port, connectionFile: connection_file }, context);
      return { transport, calls };
    },
  });
}

export default defineMcpServe();
