import type * as Mcp from '@modelcontextprotocol/client';
import type { Transport } from '@modelcontextprotocol/client';
import { childEnvironment } from '../../system/child-environment.ts';
import type { McpServerSettings } from '../config/config-schema.ts';
import { serverAddress } from '../config/check-server.ts';
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
  const address = serverAddress(name, settings);
  const { source, env, traceparent } = deps;
  if (address.type === 'stdio') {
    const [mark] = Object.entries(deps.sessionEnv ?? {}).map(([key, value]) => `${key}=${value}`);
    const own = resolveServerField(settings.env, 'env', source, env);
    return new McpStdioTransport(
      {
        argv: [address.command, ...(settings.args ?? [])],
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
  const headers = resolveServerField(settings.headers, 'headers', source, env);
  const isAuthorized = Object.keys(headers).some((key) => key.toLowerCase() === 'authorization');
  const authProvider =
    isAuthorized || deps.signIns === undefined ? undefined : storedSignIn(settings.url ?? '', deps.signIns);
  const options = {
    requestInit: { headers },
    ...(authProvider !== undefined && { authProvider }),
    fetch: limitResponses(deps.fetch, SERVER_LIMITS),
  };
  return address.type === 'sse'
    ? new mcp.SSEClientTransport(address.url, options)
    : new mcp.StreamableHTTPClientTransport(address.url, options);
}
