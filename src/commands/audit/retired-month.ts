import * as v from 'valibot';
import { described, int, record } from '../../base/schema.ts';
import type { RetiredMonth } from '../../contract/audit-retired.ts';

/** A retired month in the output. */
export const retiredSchema = v.object({
  month: v.string(),
  lines: int(),
  calls: int(),
  failed: int(),
  commands: record(int()),
  heads_lost: described(v.optional(int()), 'How often the head was lost: lines before that may be missing'),
  prev: v.string(),
  first_hash: v.string(),
  last_hash: v.string(),
  bytes: int(),
  kept: described(v.nullable(v.string()), 'The compressed file with the lines; null when they were deleted'),
  retired_at: v.string(),
});

/** The members of a summary that answers contain. */
export function showRetired(summary: RetiredMonth): v.InferOutput<typeof retiredSchema> {
  const { month, lines, calls, failed, commands, prev, first_hash, last_hash, bytes, kept, retired_at } =
    summary;
  const lost = summary.heads_lost === undefined ? {} : { heads_lost: summary.heads_lost };
  return {
    month,
    lines,
    calls,
    failed,
    commands,
    ...lost,
    prev,
    first_hash,
    last_hash,
    bytes,
    kept,
    retired_at,
  };
}
