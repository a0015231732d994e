import type { LlmParameters } from '../llm-port.ts';
import type { ReadyProvider } from './provider-family.ts';

/**
 * Wraps `fetch` for one request: it tells when the answer begins, and puts back what OpenAI's library leaves out of the body for
 * models that it believes cannot take it. What was configured is sent; a model that refuses it says so.
 */
export function pinnedFetch(
  fetch: typeof globalThis.fetch,
  provider: ReadyProvider,
  parameters: LlmParameters,
  onAlive: () => void,
): typeof globalThis.fetch {
  const wanted = provider.family === 'openai' ? openaiBody(parameters, provider.mode) : {};
  return async (input, init) => {
    const body = typeof init?.body === 'string' ? pin(init.body, wanted) : init?.body;
    const response = await fetch(input, body === undefined ? init : { ...init, body });
    onAlive();
    return response;
  };
}

function openaiBody(parameters: LlmParameters, mode: ReadyProvider['mode']): Record<string, unknown> {
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

/** Looks for the text of a member first: to parse a conversation again only to find that nothing is missing costs more. */
function pin(body: string, wanted: Readonly<Record<string, unknown>>): string {
  const missing = Object.entries(wanted).filter(
    ([key, value]) => value !== undefined && !body.includes(`"${key}":${JSON.stringify(value)}`),
  );
  if (missing.length === 0) return body;
  return JSON.stringify({ ...(JSON.parse(body) as object), ...Object.fromEntries(missing) });
}
