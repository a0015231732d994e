import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { LlmParameters, LlmRequest } from '../llm-port.ts';
import type { ToolDefinition } from '../tool-host.ts';
import { COMPATIBLE_OPTIONS_KEY } from './load-model.ts';
import type { PreparedProvider, ProviderFamily } from './provider-family.ts';
import { toPrompt } from './to-prompt.ts';

/** The thinking budget when the configuration sets none. */
const DEFAULT_THINKING_TOKENS = 4096;

/** Converts a request to the AI SDK's call options. */
export function toCallOptions(
  request: LlmRequest,
  provider: PreparedProvider,
  stateKey: string,
): LanguageModelV4CallOptions {
  const { parameters } = request;
  const prompt = toPrompt(request.messages, {
    family: provider.family,
    stateKey,
    accepts: request.accepts ?? [],
    hasToolImages: TOOL_IMAGES.has(provider.family) || isResponses(provider),
  });
  if (provider.family === 'anthropic' && parameters.caching !== 'none') setCacheBreakpoints(prompt);
  const { temperature, topP, topK, seed, maxOutputTokens, stopSequences, presencePenalty } = parameters;
  // These families have no repetition penalty; the frequency penalty is the closest equivalent.
  const frequencyPenalty =
    parameters.frequencyPenalty ??
    (provider.family === 'openai' || provider.family === 'google' ? parameters.repeatPenalty : undefined);
  return {
    prompt,
    temperature,
    topP,
    // The SDK for OpenAI-compatible providers ignores topK; providerOptions below sends it.
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

/** Families that accept images in tool results; others get them in a message of the user. */
const TOOL_IMAGES: ReadonlySet<ProviderFamily> = new Set(['anthropic', 'google']);

function isResponses({ family, mode }: PreparedProvider): boolean {
  return family === 'openai' && mode === 'responses';
}

function isCompatible({ family }: PreparedProvider): boolean {
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
  provider: PreparedProvider,
): LanguageModelV4CallOptions['providerOptions'] {
  const extra = parameters.providerOptions ?? {};
  const { extendedThinking, reasoningEffort, repeatPenalty, topK } = parameters;
  const thinkingEnabled = extendedThinking !== undefined && extendedThinking !== false;
  const budget =
    typeof extendedThinking === 'object' ? extendedThinking.budgetTokens : DEFAULT_THINKING_TOKENS;
  const effort = reasoningEffort ?? (thinkingEnabled ? 'medium' : undefined);
  switch (provider.family) {
    case 'openai':
      return {
        openai: {
          ...(effort !== undefined && { reasoningEffort: effort }),
          // Do not store the conversation at the provider: the session keeps it and may continue with another provider.
          ...(provider.mode === 'responses' && { store: false }),
          ...extra,
        },
      };
    case 'anthropic':
      return {
        anthropic: {
          ...(thinkingEnabled && { thinking: { type: 'enabled', budgetTokens: budget } }),
          ...extra,
        },
      };
    case 'google':
      return {
        google: {
          ...(thinkingEnabled && { thinkingConfig: { includeThoughts: true, thinkingBudget: budget } }),
          ...extra,
        },
      };
    case 'openrouter':
      return {
        openrouter: {
          ...(repeatPenalty !== undefined && { repetition_penalty: repeatPenalty }),
          ...(reasoningEffort !== undefined
            ? { reasoning: { effort: reasoningEffort } }
            : thinkingEnabled && { reasoning: { enabled: true, max_tokens: budget } }),
          ...extra,
        },
      };
    case 'ollama':
    case 'openai-compatible':
      return {
        [COMPATIBLE_OPTIONS_KEY]: {
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
 * Sets cache breakpoints at the system prompt and at the second to last message. The last message may contain instructions that are
 * valid for this turn only.
 */
function setCacheBreakpoints(prompt: LanguageModelV4Prompt): void {
  const breakpoint = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  const system = prompt.findLast(({ role }) => role === 'system');
  for (const message of [system, prompt.at(-2)]) if (message) message.providerOptions = breakpoint;
}
