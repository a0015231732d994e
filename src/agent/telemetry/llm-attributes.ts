import type { Attributes } from '@opentelemetry/api';
import type { LlmAccountingEntry } from '../accounting-entry.ts';

/** Names of the semantic conventions for providers, where they differ from the names in configurations. */
const PROVIDER_NAMES: ReadonlyMap<string, string> = new Map(Object.entries({ google: 'gcp.gemini' }));

/** Returns the attributes that a request has in spans and metrics, by the semantic conventions for generative AI. */
export function requestAttributes({ provider, model, actualModel }: LlmAccountingEntry): Attributes {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': PROVIDER_NAMES.get(provider) ?? provider,
    'gen_ai.request.model': model,
    ...(actualModel !== undefined && { 'gen_ai.response.model': actualModel }),
  };
}

/** Returns the attributes of the span of a request. Contents of messages are never part of it. */
export function llmAttributes(entry: LlmAccountingEntry): Attributes {
  const { tokens, stopReason, costUsd } = entry;
  return {
    ...requestAttributes(entry),
    'gen_ai.usage.input_tokens': tokens.inputTokens + (tokens.cachedTokens ?? 0),
    'gen_ai.usage.output_tokens': tokens.outputTokens,
    ...(tokens.cachedTokens !== undefined && { 'gen_ai.usage.cache_read.input_tokens': tokens.cachedTokens }),
    ...(stopReason !== undefined && { 'gen_ai.response.finish_reasons': [stopReason] }),
    ...(costUsd !== undefined && { 'deed.agent.cost_usd': costUsd }),
  };
}

export function errorAttributes(type: string): Attributes {
  return { 'error.type': type };
}
