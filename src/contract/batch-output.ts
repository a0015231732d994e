import * as v from 'valibot';
import { int } from '../base/schema.ts';
import type { BatchCommand } from './command.ts';
import { embed } from './schema.ts';

/** The output schema of a batch, with the fields of its successful items. */
export function batchOutput(command: BatchCommand) {
  const itemOutput = Object.entries(command.itemOutput ?? {});
  return v.object({
    items: v.array(
      v.object({
        target: v.string(),
        ok: v.boolean(),
        error: v.optional(v.object({ code: v.string(), retryable: v.boolean(), message: v.string() })),
        ...Object.fromEntries(itemOutput.map(([name, schema]) => [name, embed(schema)])),
      }),
    ),
    summary: v.object({
      total: int(),
      succeeded: int(),
      failed: int(),
      skipped: v.optional(int()),
    }),
    skipped: v.optional(v.array(v.string())),
    replayed: v.optional(v.literal(true)),
    _untrusted: v.optional(v.array(v.string())),
  });
}
