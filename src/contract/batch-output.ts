import * as z from '../base/schema/schema.ts';
import type { BatchCommand } from './command.ts';

/** The output schema of a batch, with what its succeeded items tell. */
export function batchOutput(command: BatchCommand) {
  return z.object({
    items: z.array(
      z.object({
        target: z.string(),
        ok: z.boolean(),
        error: z.optional(z.object({ code: z.string(), retryable: z.boolean(), message: z.string() })),
        ...command.itemOutput,
      }),
    ),
    summary: z.object({
      total: z.int(),
      succeeded: z.int(),
      failed: z.int(),
      skipped: z.optional(z.int()),
    }),
    skipped: z.optional(z.array(z.string())),
    replayed: z.optional(z.literal(true)),
    _untrusted: z.optional(z.array(z.string())),
  });
}
