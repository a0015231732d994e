import type * as Mcp from '@modelcontextprotocol/client';
import type { Transport } from '@modelcontextprotocol/client';
import { Fault } from '../../base/fault.ts';
import { childEnvironment } from '../../system/child-environment.ts';
import type { McpServerSettings } from '../config/config-schema.ts';
import { limitResponses, SERVER_LIMITS } from '../limit-responses.ts';
import { resolveServerField, serverFolder } from '../config/server-source.ts';
import { storedSignIn } from './oauth/stored-sign-in.ts';
import type { McpDependencies } from './mcp-dependencies.ts';
import { McpStdioTransport } from './mcp-stdio-transport.ts';

/** Creates the transport to a server; its placeholders in `env` and `headers` are resolved here. */
export function createMcpTransport(
  mcp: typeof Mcp,
  name: string,
  settings: McpServerSettings,
  deps: McpDependencies,
): Transport | McpStdioTransport {
  const type = settings.type ?? (settings.url === undefined ? 'stdio' : 'http');
  const { source, env, traceparent } = deps;
  if (type === 'stdio') {
    if (settings.command === undefined) throw incomplete(name, 'command');
    const [mark] = Object.entries(deps.sessionEnv ?? {}).map(([key, value]) => `${key}=${value}`);
    const own = resolveServerField(settings.env, 'env', source, env);
    return new McpStdioTransport(
      {
        argv: [settings.command, ...(settings.args ?? [])],
        cwd: serverFolder(settings.cwd, source, deps.cwd),
        env: {
          ...childEnvironment(env, own),
          ...deps.sessionEnv,
          ...(traceparent !== undefined && { TRACEPARENT: traceparent }),
        },
        ...(mark !== undefined && { mark }),
      },
      mcp.parseJSONRPCMessage,
    );
  }
  const url = URL.parse(settings.url ?? '');
  if (url === null) throw incomplete(name, 'url');
  const headers = resolveServerField(settings.headers, 'headers', source, env);
  const isAuthorized = Object.keys(headers).some((key) => key.toLowerCase() === 'authorization');
  const authProvider =
    isAuthorized || deps.signIns === undefined ? undefined : storedSignIn(settings.url ?? '', deps.signIns);
  const options = {
    requestInit: { headers },
    ...(authProvider !== undefined && { authProvider }),
    fetch: limitResponses(deps.fetch, SERVER_LIMITS),
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
