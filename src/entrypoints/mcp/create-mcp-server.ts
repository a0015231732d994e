import { INVALID_PARAMS, ProtocolError, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { callTool } from './call-tool.ts';
import { createCaller } from './mcp-caller.ts';
import type { McpCaller, McpHost } from './mcp-host.ts';
import { ReadableServer } from './readable-server.ts';

export interface ServedClient {
  /** Whether the transport can send notifications outside a call. */
  readonly canNotify: boolean;
}

/** Creates a server for the commands of a tool. Every answer is the same envelope as on the command line. */
export function createMcpServer(host: McpHost, { canNotify }: ServedClient): Server {
  const { instructions, tools, features } = host.offer;
  const server = new ReadableServer(
    { name: host.tool.name, title: host.tool.name, version: host.tool.version },
    {
      capabilities: { tools: {}, logging: {}, ...features?.capabilities(canNotify) },
      instructions,
    },
  );
  const callerOf = (context: ServerContext): McpCaller => createCaller(server, context, host);
  server.setRequestHandler('tools/list', () => ({ tools: structuredClone(tools) as never }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    if (!tools.some(({ name }) => name === params.name))
      throw new ProtocolError(INVALID_PARAMS, `Unknown tool: "${params.name}".`);
    return callTool(params.name, params.arguments ?? {}, callerOf(context), host);
  });
  features?.handle(server, host, callerOf);
  return server;
}
