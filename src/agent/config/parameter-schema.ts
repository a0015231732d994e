import * as v from 'valibot';
import { int, number, record, strictObject } from '../../base/schema.ts';
import type { LlmParameters } from '../llm-port.ts';

const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

/**
 * Request parameters, accepted in the defaults, in a provider and in a model. The most specific one applies, and `null` unsets an
 * inherited one. The contract fixes the names with an underscore.
 */
export const PARAMETER_FIELDS = {
  temperature: v.optional(v.nullable(v.pipe(number(), v.minValue(0), v.maxValue(2)))),
  topP: v.optional(v.nullable(v.pipe(number(), v.minValue(0), v.maxValue(1)))),
  topK: v.optional(v.nullable(v.pipe(int(), v.minValue(1)))),
  repeatPenalty: v.optional(v.nullable(v.pipe(number(), v.minValue(0)))),
  frequencyPenalty: v.optional(v.nullable(number())),
  presencePenalty: v.optional(v.nullable(number())),
  seed: v.optional(v.nullable(int())),
  stopSequences: v.optional(v.nullable(v.array(v.string()))),
  maxOutputTokens: v.optional(v.pipe(int(), v.minValue(1))),
  reasoning: v.optional(v.nullable(v.picklist(REASONING_EFFORTS))),
  reasoning_effort: v.optional(v.nullable(v.picklist(REASONING_EFFORTS))),
  extended_thinking: v.optional(
    v.nullable(v.union([v.boolean(), strictObject({ budgetTokens: v.pipe(int(), v.minValue(1)) })])),
  ),
  caching: v.optional(v.nullable(v.picklist(['none', 'full']))),
  providerOptions: v.optional(record(v.unknown())),
};

const PARAMETERS = v.object(PARAMETER_FIELDS);
export type ParameterSettings = v.InferOutput<typeof PARAMETERS>;

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
