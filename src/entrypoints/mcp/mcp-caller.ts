import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { toFault } from '../../contract/exit-code.ts';
import type { McpCaller, McpHost } from './mcp-host.ts';
import { toMcpTerms } from './mcp-terms.ts';

/** In the 2026 protocol each request identifies its client; before, the connection does. */
interface RequestEnvelope {
  readonly [CLIENT_INFO_META_KEY]?: { readonly name?: string };
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
}

export function createCaller(server: Server, context: ServerContext, host: McpHost): McpCaller {
  const { signal, _meta, envelope, notify, log, inputResponses, requestState } = context.mcpReq;
  const request = (envelope ?? {}) as RequestEnvelope;
  const token = _meta?.progressToken;
  // A disconnected client gets no notifications; the signal aborts its call.
  const ignore = (error: unknown): void => host.warn(toFault(error).message);
  let step = 0;
  return {
    client: request[CLIENT_INFO_META_KEY]?.name ?? server.getClientVersion()?.name,
    signal,
    progress: (message) => {
      if (token === undefined) return;
      step += 1;
      const params = { progressToken: token, progress: step, message };
      notify({ method: 'notifications/progress', params }).catch(ignore);
    },
    warn: (message) => {
      host.warn(message);
      toMcpTerms(message, { host })
        .then((text) => log('warning', text, host.tool.name))
        .catch(ignore);
    },
    canAsk:
      supportsForms(request[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()) &&
      // An agent inside a run could answer its own question.
      !host.system.env.DEED_RUN_ID,
    answers: inputResponses,
    askedState: requestState<string>(),
  };
}

/** An empty capability means forms: it is older than the other mode. */
function supportsForms(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
