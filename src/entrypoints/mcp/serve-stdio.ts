import { serveStdio as serve, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from './create-mcp-server.ts';
import type { McpHost } from './mcp-host.ts';

/** Serves over standard input and output until the client closes its end, or the signal comes. */
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
  // What was answered is written before the command gives its own answer.
  await new Promise<void>((done) => process.stdout.write('', () => done()));
}
