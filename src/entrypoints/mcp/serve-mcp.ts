import type { McpRequest, McpServed } from '../../commands/mcp/serve.ts';
import { connectionFile } from '../../app/connection-file.ts';
import { Fault } from '../../base/fault.ts';
import { toFault } from '../../contract/exit-code.ts';
import { randomHex } from '../../base/ids.ts';
import type { CommandContext } from '../../contract/command.ts';
import { toolVariable } from '../../contract/tool.ts';
import { limitJit } from '../../system/limit-jit.ts';
import { onOwnExit } from '../../system/on-own-exit.ts';
import { releaseAfterCalls } from '../../system/release-memory.ts';
import type { McpHost, McpOffer } from './mcp-host.ts';

/** Serves the commands of this program to MCP clients until they disconnect. */
export async function serveMcp(
  request: McpRequest,
  context: CommandContext,
  offer: McpOffer,
): Promise<McpServed> {
  const counts = { read: 0, write: 0 };
  const host: McpHost = {
    ...context,
    offer,
    session: `mcp-${randomHex(8)}`,
    onCall: (effect) => (counts[effect] += 1),
  };
  limitJit();
  const stopReleasing = releaseAfterCalls(() => counts.read + counts.write);
  try {
    if (request.transport === 'stdio') await (await import('./serve-stdio.ts')).serveStdio(host);
    else await serveOverHttp(request, host, context);
  } finally {
    stopReleasing();
    if (counts.write > 0) await closeFeatures(host);
  }
  context.signal.throwIfAborted();
  return { calls: counts.read + counts.write };
}

/** Releases the claims of the session. A failure is only a warning, because claims expire. */
async function closeFeatures(host: McpHost): Promise<void> {
  try {
    await host.offer.features?.close(host);
  } catch (error) {
    host.warn(toFault(error).message);
  }
}

async function serveOverHttp(request: McpRequest, host: McpHost, context: CommandContext): Promise<void> {
  const { serveHttp } = await import('./serve-http.ts');
  const variable = toolVariable(context.tool, 'MCP_TOKEN');
  const token = chooseToken(variable, context.system.env[variable]);
  const file = connectionFile({ folder: 'mcp', named: request.connectionFile }, context, process.pid);
  // A forced exit skips the finally block.
  const cancel = onOwnExit(file.remove);
  const onListening = (url: string): void => {
    file.write({ url, token });
    context.progress(`serving ${url}; the token is in ${file.path}`);
  };
  try {
    await serveHttp(host, { port: request.port, token, onListening });
  } finally {
    cancel();
    file.remove();
  }
}

/** As long as 128 bits in hexadecimal: every user of this machine can reach the port and guess. */
const MIN_TOKEN_CHARACTERS = 32;

function chooseToken(variable: string, given: string | undefined): string {
  if (!given) return randomHex(32);
  if (given.length >= MIN_TOKEN_CHARACTERS && /^[\x21-\x7e]+$/u.test(given)) return given;
  throw new Fault(
    'E_CONFIG',
    `${variable} has ${given.length} characters; it needs at least ${MIN_TOKEN_CHARACTERS}, printable ASCII without spaces.`,
    {
      hint: 'Unset it to get a random one, or set it to the output of: openssl rand -hex 32',
      details: { field: variable, min: MIN_TOKEN_CHARACTERS },
    },
  );
}
