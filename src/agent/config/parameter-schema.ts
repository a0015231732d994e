import * as z from 'zod/mini';
import type { LlmParameters } from '../llm-port.ts';

const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

/**
 * Settings of a request, which may stand in the defaults, at a provider and at a model; the nearest one counts, and `null` takes
 * one away again. The names with an underscore are those the contract uses.
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

/** Lays settings over each other, the weakest first, and names them as a request does. */
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
