import * as z from '../../base/schema/schema.ts';
import type { AuditLine } from '../../contract/audit-chain.ts';

/** An audit line as callers see it; ids are text. */
export const auditLineSchema = z.object({
  seq: z.string(),
  at: z.string(),
  phase: z.enum(['begin', 'end']),
  command: z.nullable(z.string()),
  args: z.record(z.string(), z.unknown()),
  account: z.record(z.string(), z.unknown()),
  agent: z.nullable(z.string()),
  request_id: z.nullable(z.string()),
  exit_code: z.nullable(z.int()),
  code: z.nullable(z.string()),
  duration_ms: z.nullable(z.number()),
  note: z.optional(z.string()),
  hash: z.string(),
});

export function showLine(line: AuditLine): z.output<typeof auditLineSchema> {
  const { prev: _, seq, ...rest } = line;
  return { seq: String(seq), ...rest };
}
