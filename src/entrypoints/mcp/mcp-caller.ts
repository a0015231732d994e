import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { Fault } from '../../base/fault.ts';
import { onAbort } from '../../base/race-abort.ts';
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
    signal: asInterruption(signal),
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

/** The reason of a cancellation is a text of the client; for a command it is an interruption like any other. */
function asInterruption(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  onAbort(signal, () =>
    controller.abort(new Fault('E_INTERRUPTED', 'The client cancelled the call or disconnected.')),
  );
  return controller.signal;
}

/** An empty capability means forms: it is older than the other mode. */
function supportsForms(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
