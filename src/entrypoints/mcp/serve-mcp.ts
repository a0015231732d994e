import type { McpRequest, McpServed } from '../../commands/mcp/serve.ts';
import { connectionFile } from '../../app/connection-file.ts';
import { randomHex } from '../../base/ids.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { McpHost } from './mcp-host.ts';

/** Serves the commands of this program to MCP clients until they disconnect. */
export async function serveMcp(request: McpRequest, context: CommandContext): Promise<McpServed> {
  let calls = 0;
  const host: McpHost = { ...context, onCall: () => (calls += 1) };
  if (request.transport === 'stdio') await (await import('./serve-stdio.ts')).serveStdio(host);
  else await serveOverHttp(request, host, context);
  context.signal.throwIfAborted();
  return { calls };
}

async function serveOverHttp(request: McpRequest, host: McpHost, context: CommandContext): Promise<void> {
  const { serveHttp } = await import('./serve-http.ts');
  const token = context.system.env.DEED_MCP_TOKEN || randomHex(32);
  const file = connectionFile(request.connectionFile, context, process.pid);
  const onListening = (url: string): void => {
    file.write({ url, token });
    context.progress(`serving ${url}; the token is in ${file.path}`);
  };
  try {
    await serveHttp(host, { port: request.port, token, onListening });
  } finally {
    file.remove();
  }
}
