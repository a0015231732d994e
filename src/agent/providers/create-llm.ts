import type { Clock } from '../../base/clock.ts';
import type { LlmOutcome, LlmPort, LlmRequest } from '../llm-port.ts';
import { toCallOptions } from './call-options.ts';
import { classifyFailure } from './classify-failure.ts';
import { readAnswer, readAnswerStream } from './collect-answer.ts';
import { loadModel } from './load-model.ts';
import { pinnedFetch } from './pinned-fetch.ts';
import type { ReadyProvider } from './provider-family.ts';

export interface LlmDependencies {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
}

/** Makes the port to providers over the network. The libraries are called below their retries: one attempt is one request. */
export function createLlm(
  providers: Readonly<Record<string, ReadyProvider>>,
  deps: LlmDependencies,
): LlmPort {
  return {
    attempt: async (request) => {
      const provider = providers[request.provider];
      if (provider === undefined)
        return { ok: false, class: 'model_error', message: `There is no provider ${request.provider}.` };
      try {
        return await ask(provider, request, deps);
      } catch (error) {
        return classifyFailure(error, {
          signal: request.signal,
          nowMs: deps.clock.now(),
          secrets: [provider.apiKey ?? '', ...Object.values(provider.headers)],
        });
      }
    },
  };
}

async function ask(provider: ReadyProvider, request: LlmRequest, deps: LlmDependencies): Promise<LlmOutcome> {
  request.signal.throwIfAborted();
  const alive = (): void => request.onDelta({ type: 'alive' });
  const fetch = pinnedFetch(deps.fetch, provider, request.parameters, alive);
  const model = await loadModel(provider, request.model, fetch);
  const stateKey = `${request.provider}/${request.model}`;
  const options = toCallOptions(request, provider, stateKey);
  if (!request.stream) return readAnswer(await model.doGenerate(options), stateKey);
  const { stream } = await model.doStream(options);
  return readAnswerStream(stream, stateKey, request.onDelta);
}
