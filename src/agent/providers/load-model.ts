import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ReadyProvider } from './provider-family.ts';

/** Sent where a family's library insists on a key and the configured address needs none. */
const NO_KEY = 'none';

/** Makes the model of a provider, loading its library when it is first needed. No library ever looks into the environment for a key. */
export async function loadModel(
  provider: ReadyProvider,
  model: string,
  fetch: typeof globalThis.fetch,
): Promise<LanguageModelV4> {
  const { baseUrl: baseURL, headers } = provider;
  if (provider.family === 'script' || baseURL === undefined)
    throw new Error(`the provider ${provider.name} has no model`);
  const apiKey = provider.apiKey ?? NO_KEY;
  switch (provider.family) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      const openai = createOpenAI({ apiKey, baseURL, headers: { ...headers }, fetch });
      return provider.mode === 'responses' ? openai.responses(model) : openai.chat(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ apiKey, baseURL, headers: { ...headers }, fetch })(model);
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle({ apiKey, baseURL, headers: { ...headers }, fetch })(model);
    }
    case 'openrouter': {
      const { createOpenRouter } = await import('@openrouter/ai-sdk-provider');
      const openrouter = createOpenRouter({
        apiKey,
        baseURL,
        headers: { ...headers },
        fetch,
        compatibility: 'strict',
      });
      return openrouter.chat(model, { usage: { include: true } });
    }
    case 'ollama':
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const compatible = createOpenAICompatible({
        name: COMPATIBLE,
        baseURL,
        ...(provider.apiKey !== undefined && { apiKey }),
        headers: { ...headers },
        fetch,
        includeUsage: true,
      });
      return compatible.chatModel(model);
    }
  }
}

/** The name under which the compatible families take options of their own. */
export const COMPATIBLE = 'compatible';
