import { errorMessage } from '../../base/error-message.ts';
import type { JsonObject } from '../../base/json.ts';
import { contextLimit } from '../context/context-guard.ts';
import type { LlmResponse } from '../llm-port.ts';
import type { Target } from '../session-config.ts';
import type { PreparedRequest } from '../session/attempt-llm.ts';
import type { SessionScope } from '../session/session-scope.ts';
import type { ToolOutcome } from '../tool-host.ts';
import type { HookedCall, Refusal } from './session-hooks.ts';

/** Runs the hook before a request; returns the request to send, or a refusal. */
export async function runBeforeModel(
  scope: SessionScope,
  target: Target,
  request: PreparedRequest,
  attempt: number,
): Promise<PreparedRequest | Refusal> {
  const { beforeModel } = scope.ports.hooks ?? {};
  if (beforeModel === undefined) return request;
  const { provider, model, messages } = request;
  const tools = request.tools.map(({ name }) => name);
  const call = { ...origin(scope), attempt, provider, model, messages, tools };
  const result = await refuseOnError(async () => beforeModel(call));
  if (result === undefined) return request;
  if ('refuse' in result) return result;
  const tokens = scope.estimate.messages(result.messages);
  if (tokens + scope.contextGuard.schemaTokens <= contextLimit(target))
    return { ...request, messages: result.messages };
  scope.log(
    'WRN',
    `The messages of a hook have ${tokens} tokens and do not fit; the original ones are sent.`,
  );
  return request;
}

/** Runs the hook after a response; returns why it is refused. */
export async function runAfterModel(scope: SessionScope, response: LlmResponse): Promise<string | undefined> {
  const { afterModel } = scope.ports.hooks ?? {};
  if (afterModel === undefined) return undefined;
  const { text, reasoning, toolCalls } = response;
  const result = await refuseOnError(async () =>
    afterModel({ ...origin(scope), text, reasoning, toolCalls }),
  );
  return result?.refuse;
}

/** Runs the hook before a tool call; returns the arguments to use, or a refusal. */
export async function runBeforeTool(
  scope: SessionScope,
  tool: string,
  args: JsonObject,
): Promise<{ readonly arguments: JsonObject } | Refusal> {
  const { beforeTool } = scope.ports.hooks ?? {};
  const call: HookedCall = { ...origin(scope), tool, arguments: args };
  if (beforeTool === undefined) return call;
  return (await refuseOnError(async () => beforeTool(call))) ?? call;
}

/** Runs the hook after a tool call; returns the outcome that the model receives. */
export async function runAfterTool(
  scope: SessionScope,
  call: Omit<HookedCall, 'agentId' | 'turn'>,
  outcome: ToolOutcome,
): Promise<ToolOutcome> {
  const { afterTool } = scope.ports.hooks ?? {};
  if (afterTool === undefined) return outcome;
  const text = outcome.ok ? outcome.text : outcome.reason;
  const result = await refuseOnError(async () =>
    afterTool({ ...origin(scope), ...call }, { ok: outcome.ok, text }),
  );
  if (result === undefined) return outcome;
  const { accounting } = outcome;
  const shared = accounting === undefined ? {} : { accounting };
  if ('refuse' in result)
    return { ok: false, reason: `the response is withheld: ${result.refuse}`, ...shared };
  // The hook has not seen the images.
  return outcome.ok ? { ok: true, text: result.text, ...shared } : { ...outcome, reason: result.text };
}

function origin({ ids, state }: SessionScope): { readonly agentId: string; readonly turn: number } {
  return { agentId: ids.agentId, turn: state.turn };
}

async function refuseOnError<T>(hook: () => Promise<T>): Promise<Exclude<T, void> | Refusal | undefined> {
  try {
    return ((await hook()) ?? undefined) as Exclude<T, void> | undefined;
  } catch (error) {
    return { refuse: errorMessage(error) };
  }
}
