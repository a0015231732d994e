import { serveStdio as serve, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from './create-mcp-server.ts';
import type { McpHost } from './mcp-host.ts';

/** Serves over standard input and output until the client closes the connection or the signal aborts. */
export async function serveStdio(host: McpHost): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const transport = new StdioServerTransport();
  const handle = serve(() => createMcpServer(host), {
    transport,
    onerror: (error) => host.warn(error.message),
  });
  process.stdin.once('end', resolve).once('close', resolve);
  host.signal.addEventListener('abort', () => resolve());
  await closed;
  await handle.close();
  // All responses must be written before the answer of the command itself.
  await new Promise<void>((done) => process.stdout.write('', () => done()));
}
