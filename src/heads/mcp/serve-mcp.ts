import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { randomHex } from '../../base/ids.ts';
import type { CommandContext } from '../../contract/context.ts';
import type { McpRequest, McpServed } from '../../contract/tool.ts';
import { writeFileDurably } from '../../system/durable-file.ts';
import type { McpHost } from './mcp-host.ts';

/** Serves the commands of this program to MCP clients; ends when they are done with it. */
export async function serveMcp(request: McpRequest, context: CommandContext): Promise<McpServed> {
  let calls = 0;
  const host: McpHost = { ...context, onCall: () => (calls += 1) };
  if (request.transport === 'stdio') await (await import('./serve-stdio.ts')).serveStdio(host);
  else await serveOverHttp(request, host, context);
  context.signal.throwIfAborted();
  return { calls };
}

/** The address and the token are told in a private file: an argument or a line on the screen is read by others too easily. */
async function serveOverHttp(request: McpRequest, host: McpHost, context: CommandContext): Promise<void> {
  const { serveHttp } = await import('./serve-http.ts');
  const token = context.world.env.DEED_MCP_TOKEN || randomHex(32);
  const file =
    request.connectionFile === undefined
      ? join(context.home.folder('mcp'), `http-${process.pid}.json`)
      : resolve(context.world.cwd, request.connectionFile);
  const onListening = (url: string): void => {
    writeFileDurably(file, `${JSON.stringify({ url, token, pid: process.pid })}\n`, {
      mode: 0o600,
      sync: false,
    });
    context.progress(`serving ${url}; the token is in ${file}`);
  };
  try {
    await serveHttp(host, { port: request.port, token, onListening });
  } finally {
    rmSync(file, { force: true });
  }
}
