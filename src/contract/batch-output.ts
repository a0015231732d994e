import * as v from 'valibot';
import { lazy } from '../base/lazy.ts';
import { int } from '../base/schema.ts';
import type { BatchCommand } from './command.ts';
import { embed, type Schema } from './schema.ts';

/** The members of every item of a batch. */
export const batchItem = lazy(() => ({
  target: v.string(),
  ok: v.boolean(),
  error: v.optional(v.object({ code: v.string(), retryable: v.boolean(), message: v.string() })),
}));

/** The members of the summary of every batch. */
export const batchSummary = lazy(() => ({
  total: int(),
  succeeded: int(),
  failed: int(),
  skipped: v.optional(int()),
}));

/** The output schema of a batch, with the fields of its successful items. */
export function batchOutput(command: BatchCommand): Schema {
  if (command.whole !== undefined) return command.whole.output;
  const itemOutput = Object.entries(command.itemOutput ?? {});
  return v.object({
    items: v.array(
      v.object({
        ...batchItem(),
        ...Object.fromEntries(itemOutput.map(([name, schema]) => [name, embed(schema)])),
      }),
    ),
    summary: v.object(batchSummary()),
    skipped: v.optional(v.array(v.string())),
    replayed: v.optional(v.literal(true)),
    _untrusted: v.optional(v.array(v.string())),
  });
}
