import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { PreparedProvider } from './provider-family.ts';

/** Sent when the SDK requires a key but the configured base URL does not. */
const NO_KEY = 'none';

/** Creates a model and loads the provider's SDK on first use. Every SDK gets an explicit key, so that none reads one from the environment. */
export async function loadModel(
  provider: PreparedProvider,
  model: string,
  fetch: typeof globalThis.fetch,
): Promise<LanguageModelV4> {
  const { baseUrl: baseURL, headers } = provider;
  if (provider.family === 'script' || baseURL === undefined)
    throw new Error(`provider ${provider.name} cannot load a model: it is a script or has no base URL`);
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
        name: COMPATIBLE_OPTIONS_KEY,
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

/** The key of the provider options for OpenAI-compatible providers. */
export const COMPATIBLE_OPTIONS_KEY = 'compatible';
