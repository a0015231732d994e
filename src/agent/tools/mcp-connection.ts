import type { Client, Transport } from '@modelcontextprotocol/client';
import { raceAbort } from '../../base/race-abort.ts';
import { sleep } from '../../base/sleep.ts';
import type { McpServerSettings } from '../config/config-schema.ts';
import type { McpDependencies, McpTool } from './mcp-dependencies.ts';
import { McpServerRequests } from './mcp-server-requests.ts';
import { mcpStartFault } from './mcp-start-fault.ts';
import { McpStdioTransport } from './mcp-stdio-transport.ts';
import { listMcpTools } from './mcp-tools.ts';
import { createMcpTransport } from './mcp-transport.ts';
import { outputValidator } from './output-validator.ts';

/** An open connection. `lost` resolves with the reason when it closes. */
export interface McpConnection {
  readonly client: Client;
  readonly tools: readonly McpTool[];
  /** How to use the tools, in the words of the server. */
  readonly instructions: string | undefined;
  readonly lost: Promise<string>;
  readonly close: () => Promise<void>;
}

const DEFAULT_START_TIMEOUT_MS = 60_000;
/** How long a server over HTTP may take to end its session. */
const END_SESSION_MS = 2000;

/** Starts or connects to a server, initializes it and lists its tools. On failure no process stays running. */
export async function connectMcp(
  name: string,
  settings: McpServerSettings,
  deps: McpDependencies,
  signal: AbortSignal,
  requests = new McpServerRequests(settings),
): Promise<McpConnection> {
  const mcp = await import('@modelcontextprotocol/client');
  const transport = createMcpTransport(mcp, name, settings, deps);
  const client = new mcp.Client(
    { name: 'deed', version: deps.version },
    {
      capabilities: requests.capabilities,
      jsonSchemaValidator: outputValidator,
      listChanged: {
        tools: {
          // The announcement comes before the result of the call that caused it, so a delay here would be a race.
          autoRefresh: false,
          debounceMs: 0,
          onChanged: () => deps.onToolsChanged?.(),
        },
      },
    },
  );
  requests.handle(client);
  const { promise: lost, resolve } = Promise.withResolvers<string>();
  const reason = (): string =>
    transport instanceof McpStdioTransport ? transport.reason : 'the connection was closed';
  // The client handles the close through its transport; this callback only records the reason.
  // eslint-disable-next-line unicorn/prefer-add-event-listener -- the library has no other way
  client.onclose = () => resolve(reason());
  const close = async (): Promise<void> => {
    await endSession(transport);
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
  };
  const options = { timeout: settings.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS, signal };
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(options.timeout)]);
  try {
    // The deadline covers the whole start, because a server may accept a request and never respond.
    await raceAbort(client.connect(transport, options), deadline);
    const tools = await raceAbort(listMcpTools(client, settings, options), deadline);
    return { client, tools, instructions: client.getInstructions(), lost, close };
  } catch (error) {
    const stderrTail = transport instanceof McpStdioTransport ? transport.stderrTail() : '';
    await close();
    throw mcpStartFault({ name, deadline, signal, error, reason: reason(), stderrTail });
  }
}

/** Ends the session of a server over HTTP, so that the server can free its resources. A server that does not answer is not waited for. */
async function endSession(transport: Transport): Promise<void> {
  if (!('terminateSession' in transport)) return;
  const { terminateSession } = transport as { readonly terminateSession: () => Promise<void> };
  const waited = new AbortController();
  const ended = terminateSession.call(transport).then(
    () => waited.abort(),
    () => waited.abort(),
  );
  await Promise.race([ended, sleep(END_SESSION_MS, waited.signal)]);
}
