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

/** Serves the commands of a program to MCP clients until they disconnect; the entrypoint supplies it. */
export type ServeMcp = (request: McpRequest, context: CommandContext) => Promise<McpServed>;

/** What the server of deed has besides the tools. */
const DEED_FEATURES = ' and resources for tasks, runs and receipts';

/** The `mcp serve` command; without a server it can be described but not run. */
export function defineMcpServe(serve?: ServeMcp, features = DEED_FEATURES): Command {
  return defineRead({
    path: 'mcp serve',
    summary: 'Serve these commands to MCP clients',
    description: `Serves these commands to MCP clients through four tools (find, describe, call-read, call-write)${features}. With stdio, standard output is for the protocol until the client closes the connection; with http, it listens on the loopback interface and requires a bearer token`,
    params: {
      transport: described(
        v.optional(v.picklist(['stdio', 'http']), 'stdio'),
        'How clients connect: to a child process (stdio), or by streamable HTTP on 127.0.0.1 (http)',
      ),
      port: described(
        v.optional(v.pipe(int(), v.minValue(0), v.maxValue(65_535)), 0),
        'The port for http; 0 selects a free one',
      ),
      connection_file: described(
        v.optional(v.pipe(v.string(), v.minLength(1))),
        'Where http writes its URL and token, mode 0600 (default: in the home folder)',
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
