import type * as Mcp from '@modelcontextprotocol/client';
import type { Client, Tool, Transport } from '@modelcontextprotocol/client';
import { Fault } from '../../base/fault.ts';
import { redactText } from '../../base/redact.ts';
import { childEnvironment } from '../../system/child-environment.ts';
import type { McpServerSettings } from '../config/config-schema.ts';
import { expandKnown } from '../config/placeholders.ts';
import type { McpDependencies } from './mcp-dependencies.ts';
import { McpStdioTransport } from './mcp-stdio-transport.ts';

/** One living connection. `lost` resolves with the reason when it is no more. */
export interface McpConnection {
  readonly client: Client;
  readonly tools: readonly Tool[];
  readonly lost: Promise<string>;
  readonly close: () => Promise<void>;
}

const DEFAULT_START_TIMEOUT_MS = 60_000;

/** Starts or reaches a server, shakes hands and asks for its tools. Faults leave nothing running. */
export async function connectMcp(
  name: string,
  settings: McpServerSettings,
  deps: McpDependencies,
  signal: AbortSignal,
): Promise<McpConnection> {
  const mcp = await import('@modelcontextprotocol/client');
  const transport = createTransport(mcp, name, settings, deps);
  const client = new mcp.Client({ name: 'deed', version: deps.version }, { capabilities: {} });
  const { promise: lost, resolve } = Promise.withResolvers<string>();
  const reason = (): string =>
    transport instanceof McpStdioTransport ? transport.reason : 'the connection was closed';
  // The client itself hears of the end through the transport; this only tells us.
  // eslint-disable-next-line unicorn/prefer-add-event-listener -- the library has no other way
  client.onclose = () => resolve(reason());
  const close = async (): Promise<void> => {
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
  };
  const options = { timeout: settings.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS, signal };
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(options.timeout)]);
  try {
    await within(deadline, client.connect(transport, options));
    // The library answers for a server without tools itself, and says so on standard output.
    const { tools } =
      client.getServerCapabilities()?.tools === undefined
        ? { tools: [] }
        : await within(deadline, client.listTools(undefined, options));
    return { client, tools, lost, close };
  } catch (error) {
    const complaints = transport instanceof McpStdioTransport ? transport.complaints() : '';
    await close();
    throw notConnected({ name, deadline, signal, error, reason: reason(), complaints });
  }
}

/** A server may take a request and never answer; the deadline holds for the whole start. */
async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  work.catch(() => undefined);
  try {
    signal.throwIfAborted();
    return await Promise.race([work, over]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function createTransport(
  mcp: typeof Mcp,
  name: string,
  settings: McpServerSettings,
  deps: McpDependencies,
): Transport | McpStdioTransport {
  const type = settings.type ?? (settings.url === undefined ? 'stdio' : 'http');
  if (type === 'stdio') {
    if (settings.command === undefined) throw incomplete(name, 'command');
    return new McpStdioTransport(
      {
        argv: [settings.command, ...(settings.args ?? [])],
        cwd: settings.cwd ?? deps.cwd,
        env: { ...childEnvironment(deps.env, expandKnown(settings.env ?? {}, deps.env)), ...deps.marks },
      },
      mcp.parseJSONRPCMessage,
    );
  }
  const url = URL.parse(settings.url ?? '');
  if (url === null) throw incomplete(name, 'url');
  const options = {
    requestInit: { headers: expandKnown(settings.headers ?? {}, deps.env) },
    fetch: deps.fetch,
  };
  return type === 'sse'
    ? new mcp.SSEClientTransport(url, options)
    : new mcp.StreamableHTTPClientTransport(url, options);
}

function incomplete(name: string, field: string): Fault {
  return new Fault('E_CONFIG', `The tool server ${name} has no valid ${field}.`, {
    hint: `Set mcpServers.${name}.${field}.`,
    details: { server: name, field },
  });
}

interface FailedStart {
  readonly name: string;
  readonly deadline: AbortSignal;
  readonly signal: AbortSignal;
  readonly error: unknown;
  readonly reason: string;
  readonly complaints: string;
}

function notConnected({ name, deadline, signal, error, reason, complaints }: FailedStart): Fault {
  const interrupted = signal.aborted;
  const problem = interrupted
    ? 'the session ended first'
    : deadline.aborted
      ? 'it did not answer in time'
      : reason !== '' && reason !== 'it was closed' && reason !== 'the connection was closed'
        ? reason
        : error instanceof Error
          ? error.message
          : String(error);
  const said = complaints === '' ? '' : ` It said: ${redactText(complaints.slice(-500))}`;
  return new Fault(
    interrupted ? 'E_INTERRUPTED' : 'E_CONFIG',
    `The tool server ${name} could not be started: ${redactText(problem)}.${said}`,
    {
      hint: `Check mcpServers.${name}; "deed agent tools --tools ${name}" starts it alone.`,
      details: { kind: 'tools', server: name, problem: redactText(problem) },
      cause: error,
    },
  );
}
