import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { LlmParameters, LlmRequest } from '../llm-port.ts';
import type { ToolDefinition } from '../tool-host.ts';
import { COMPATIBLE } from './load-model.ts';
import type { ReadyProvider } from './provider-family.ts';
import { toPrompt } from './to-prompt.ts';

/** What a model may think with when nobody said how much. */
const DEFAULT_THINKING_TOKENS = 4096;

/** Puts a request into the library's terms. */
export function toCallOptions(
  request: LlmRequest,
  provider: ReadyProvider,
  stateKey: string,
): LanguageModelV4CallOptions {
  const { parameters } = request;
  const prompt = toPrompt(request.messages, provider.family, stateKey);
  if (provider.family === 'anthropic' && parameters.caching !== 'none') markCached(prompt);
  const { temperature, topP, topK, seed, maxOutputTokens, stopSequences, presencePenalty } = parameters;
  // The families without a penalty on repetition have one on frequency, which comes nearest.
  const frequencyPenalty =
    parameters.frequencyPenalty ??
    (provider.family === 'openai' || provider.family === 'google' ? parameters.repeatPenalty : undefined);
  return {
    prompt,
    temperature,
    topP,
    // The compatible families' library leaves it out; it goes with their own options below.
    ...(isCompatible(provider) ? {} : { topK }),
    seed,
    maxOutputTokens,
    presencePenalty,
    frequencyPenalty,
    ...(stopSequences !== undefined && { stopSequences: [...stopSequences] }),
    ...(provider.family === 'anthropic' || provider.family === 'google'
      ? parameters.reasoningEffort !== undefined && { reasoning: parameters.reasoningEffort }
      : {}),
    ...(request.tools.length > 0 && {
      tools: request.tools.map(toFunctionTool),
      toolChoice: { type: request.toolChoice },
    }),
    providerOptions: providerOptions(parameters, provider),
    abortSignal: request.signal,
  };
}

function isCompatible({ family }: ReadyProvider): boolean {
  return family === 'ollama' || family === 'openai-compatible';
}

function toFunctionTool(tool: ToolDefinition): NonNullable<LanguageModelV4CallOptions['tools']>[number] {
  return {
    type: 'function',
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema as never,
  };
}

function providerOptions(
  parameters: LlmParameters,
  provider: ReadyProvider,
): LanguageModelV4CallOptions['providerOptions'] {
  const extra = parameters.providerOptions ?? {};
  const { extendedThinking, reasoningEffort, repeatPenalty, topK } = parameters;
  const thinks = extendedThinking !== undefined && extendedThinking !== false;
  const budget =
    typeof extendedThinking === 'object' ? extendedThinking.budgetTokens : DEFAULT_THINKING_TOKENS;
  const effort = reasoningEffort ?? (thinks ? 'medium' : undefined);
  switch (provider.family) {
    case 'openai':
      return {
        openai: {
          ...(effort !== undefined && { reasoningEffort: effort }),
          // Nothing stays on the provider's side: the conversation is ours and may go on elsewhere.
          ...(provider.mode === 'responses' && { store: false }),
          ...extra,
        },
      };
    case 'anthropic':
      return {
        anthropic: { ...(thinks && { thinking: { type: 'enabled', budgetTokens: budget } }), ...extra },
      };
    case 'google':
      return {
        google: {
          ...(thinks && { thinkingConfig: { includeThoughts: true, thinkingBudget: budget } }),
          ...extra,
        },
      };
    case 'openrouter':
      return {
        openrouter: {
          ...(repeatPenalty !== undefined && { repetition_penalty: repeatPenalty }),
          ...(reasoningEffort !== undefined
            ? { reasoning: { effort: reasoningEffort } }
            : thinks && { reasoning: { enabled: true, max_tokens: budget } }),
          ...extra,
        },
      };
    case 'ollama':
    case 'openai-compatible':
      return {
        [COMPATIBLE]: {
          ...(topK !== undefined && { top_k: topK }),
          ...(repeatPenalty !== undefined && { repeat_penalty: repeatPenalty }),
          ...(effort !== undefined && { reasoningEffort: effort }),
          ...extra,
        },
      };
    case 'script':
      return {};
  }
}

/**
 * Marks what can be read from the cache by the next request: the system prompt, and everything up to the last message but one. The
 * last one may be instructions for this turn alone.
 */
function markCached(prompt: LanguageModelV4Prompt): void {
  const mark = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  const system = prompt.findLast(({ role }) => role === 'system');
  for (const message of [system, prompt.at(-2)]) if (message) message.providerOptions = mark;
}
