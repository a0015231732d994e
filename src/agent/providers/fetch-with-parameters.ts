import type { LlmParameters } from '../llm-port.ts';
import type { PreparedProvider } from './provider-family.ts';
import type { ReceivedBody } from './received-body.ts';
import type { StreamEnd } from './stream-end.ts';

/** A request whose response is observed. */
export interface ObservedRequest {
  readonly parameters: LlmParameters;
  readonly onAlive: () => void;
  readonly response: StreamEnd | ReceivedBody;
}

/**
 * Wraps `fetch` for a provider: calls `onAlive` of the current request when the response begins, and adds parameters that OpenAI's SDK
 * omits for models it considers incompatible. Configured parameters are always sent; a model that does not support one returns an error.
 */
export function fetchWithParameters(
  fetch: typeof globalThis.fetch,
  provider: PreparedProvider,
  current: () => ObservedRequest,
): typeof globalThis.fetch {
  return async (input, init) => {
    const { parameters, onAlive, response: observed } = current();
    const required = provider.family === 'openai' ? openaiBody(parameters, provider.mode) : {};
    const body = typeof init?.body === 'string' ? addMissing(init.body, required) : init?.body;
    const response = await fetch(input, body === undefined ? init : { ...init, body });
    onAlive();
    return observed.observe(response);
  };
}

function openaiBody(parameters: LlmParameters, mode: PreparedProvider['mode']): Record<string, unknown> {
  const { temperature, topP, topK, seed, stopSequences, presencePenalty } = parameters;
  const frequency = parameters.frequencyPenalty ?? parameters.repeatPenalty;
  return {
    temperature,
    top_p: topP,
    top_k: topK,
    ...(mode === 'chat' && {
      frequency_penalty: frequency,
      presence_penalty: presencePenalty,
      seed,
      stop: stopSequences,
    }),
  };
}

/** Adds missing parameters to a JSON body. It searches the text first, to avoid parsing a large body when nothing is missing. */
function addMissing(body: string, required: Readonly<Record<string, unknown>>): string {
  const missing = Object.entries(required).filter(
    ([key, value]) => value !== undefined && !body.includes(`"${key}":${JSON.stringify(value)}`),
  );
  if (missing.length === 0) return body;
  return JSON.stringify({ ...(JSON.parse(body) as object), ...Object.fromEntries(missing) });
}
