import type { LanguageModelV4 } from '@ai-sdk/provider';
import { AsyncLocalStorage } from 'node:async_hooks';
import { fetchSameOrigin } from './fetch-same-origin.ts';
import { fetchWithParameters, type ObservedRequest } from './fetch-with-parameters.ts';
import { loadModel } from './load-model.ts';
import type { PreparedProvider } from './provider-family.ts';

/** The models of an agent, each created once. */
export interface Models {
  readonly open: (provider: PreparedProvider, model: string) => Promise<LanguageModelV4>;
  /** Calls a model; its request gets the parameters and observers. */
  readonly observe: <T>(request: ObservedRequest, call: () => PromiseLike<T>) => Promise<T>;
}

/** Creates the cache of models: creating one builds the schemas of the SDK, which takes longer than the rest of a request. */
export function createModels(fetch: typeof globalThis.fetch): Models {
  const send = fetchSameOrigin(fetch);
  const models = new Map<PreparedProvider, Map<string, Promise<LanguageModelV4>>>();
  // Requests of one model run in parallel, and `fetch` does not learn from the SDK which of them it sends.
  const requests = new AsyncLocalStorage<ObservedRequest>();
  const current = (): ObservedRequest => {
    const request = requests.getStore();
    if (request === undefined) throw new Error('the SDK sent a request outside of a call');
    return request;
  };
  return {
    open: (provider, model) => {
      const ofProvider = models.get(provider) ?? new Map<string, Promise<LanguageModelV4>>();
      models.set(provider, ofProvider);
      const opened =
        ofProvider.get(model) ?? loadModel(provider, model, fetchWithParameters(send, provider, current));
      ofProvider.set(model, opened);
      return opened;
    },
    observe: async (request, call) => requests.run(request, call),
  };
}
