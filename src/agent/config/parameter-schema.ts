import * as z from 'zod/mini';
import type { LlmParameters } from '../llm-port.ts';

const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

/**
 * Request parameters, accepted in the defaults, in a provider and in a model. The most specific one applies, and `null` unsets an
 * inherited one. The contract fixes the names with an underscore.
 */
export const PARAMETER_FIELDS = {
  temperature: z.optional(z.nullable(z.number().check(z.gte(0), z.lte(2)))),
  topP: z.optional(z.nullable(z.number().check(z.gte(0), z.lte(1)))),
  topK: z.optional(z.nullable(z.int().check(z.gte(1)))),
  repeatPenalty: z.optional(z.nullable(z.number().check(z.gte(0)))),
  frequencyPenalty: z.optional(z.nullable(z.number())),
  presencePenalty: z.optional(z.nullable(z.number())),
  seed: z.optional(z.nullable(z.int())),
  stopSequences: z.optional(z.nullable(z.array(z.string()))),
  maxOutputTokens: z.optional(z.int().check(z.gte(1))),
  reasoning: z.optional(z.nullable(z.enum(REASONING_EFFORTS))),
  reasoning_effort: z.optional(z.nullable(z.enum(REASONING_EFFORTS))),
  extended_thinking: z.optional(
    z.nullable(z.union([z.boolean(), z.strictObject({ budgetTokens: z.int().check(z.gte(1)) })])),
  ),
  caching: z.optional(z.nullable(z.enum(['none', 'full']))),
  providerOptions: z.optional(z.record(z.string(), z.unknown())),
};

const PARAMETERS = z.object(PARAMETER_FIELDS);
export type ParameterSettings = z.output<typeof PARAMETERS>;

/** Merges parameter settings, lowest priority first, and maps them to the names used in requests. */
export function mergeParameters(...layers: readonly (ParameterSettings | undefined)[]): LlmParameters {
  const merged: Record<string, unknown> = {};
  for (const layer of layers) {
    for (const name of Object.keys(PARAMETER_FIELDS) as (keyof ParameterSettings)[]) {
      const value = layer?.[name];
      if (value === undefined) continue;
      const target = NAMES[name] ?? name;
      if (value === null) delete merged[target];
      else merged[target] = value;
    }
  }
  return merged;
}

const NAMES: Readonly<Partial<Record<keyof ParameterSettings, keyof LlmParameters>>> = {
  reasoning: 'reasoningEffort',
  reasoning_effort: 'reasoningEffort',
  extended_thinking: 'extendedThinking',
};
