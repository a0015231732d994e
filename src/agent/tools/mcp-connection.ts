import type * as Mcp from '@modelcontextprotocol/client';
import type { Client, Tool, Transport } from '@modelcontextprotocol/client';
import { Fault } from '../../base/fault.ts';
import { redactText } from '../../base/secrets/redact.ts';
import { childEnvironment } from '../../system/child-environment.ts';
import type { McpServerSettings } from '../config/config-schema.ts';
import { expandKnown } from '../config/placeholders.ts';
import type { McpDependencies } from './mcp-dependencies.ts';
import { McpStdioTransport } from './mcp-stdio-transport.ts';

/** An open connection. `lost` resolves with the reason when it closes. */
export interface McpConnection {
  readonly client: Client;
  readonly tools: readonly Tool[];
  readonly lost: Promise<string>;
  readonly close: () => Promise<void>;
}

const DEFAULT_START_TIMEOUT_MS = 60_000;

/** Starts or connects to a server, initializes it and lists its tools. On failure no process stays running. */
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
  // The client handles the close through its transport; this callback only records the reason.
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
    // For a server without tools, listTools of the SDK would print a message on standard output.
    const { tools } =
      client.getServerCapabilities()?.tools === undefined
        ? { tools: [] }
        : await within(deadline, client.listTools(undefined, options));
    return { client, tools, lost, close };
  } catch (error) {
    const stderrTail = transport instanceof McpStdioTransport ? transport.stderrTail() : '';
    await close();
    throw notConnected({ name, deadline, signal, error, reason: reason(), stderrTail });
  }
}

/** Rejects when the signal aborts. The deadline covers the whole start, because a server may accept a request and never respond. */
async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  work.catch(() => undefined);
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted]);
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
        env: { ...childEnvironment(deps.env, expandKnown(settings.env ?? {}, deps.env)), ...deps.sessionEnv },
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
  readonly stderrTail: string;
}

function notConnected({ name, deadline, signal, error, reason, stderrTail }: FailedStart): Fault {
  const interrupted = signal.aborted;
  const problem = interrupted
    ? 'the session was cancelled'
    : deadline.aborted
      ? 'it did not respond in time'
      : reason !== '' && reason !== 'it was closed' && reason !== 'the connection was closed'
        ? reason
        : error instanceof Error
          ? error.message
          : String(error);
  const stderr = stderrTail === '' ? '' : ` Its stderr: ${redactText(stderrTail.slice(-500))}`;
  return new Fault(
    interrupted ? 'E_INTERRUPTED' : 'E_CONFIG',
    `Cannot start the tool server ${name}: ${redactText(problem)}.${stderr}`,
    {
      hint: `Check mcpServers.${name}; "deed agent tools --tools ${name}" starts only this server.`,
      details: { kind: 'tools', server: name, problem: redactText(problem) },
      cause: error,
    },
  );
}
