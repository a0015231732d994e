import * as v from 'valibot';
import { omit } from '../../base/omit.ts';
import { int, number, record } from '../../base/schema.ts';
import type { AuditLine } from '../../contract/audit-chain.ts';

/** An audit line in the output; ids are strings. */
export const auditLineSchema = v.object({
  seq: v.string(),
  at: v.string(),
  phase: v.picklist(['begin', 'end']),
  command: v.nullable(v.string()),
  args: record(v.unknown()),
  account: record(v.unknown()),
  agent: v.nullable(v.string()),
  request_id: v.nullable(v.string()),
  exit_code: v.nullable(int()),
  code: v.nullable(v.string()),
  duration_ms: v.nullable(number()),
  note: v.optional(v.string()),
  hash: v.string(),
});

export function showLine(line: AuditLine): v.InferOutput<typeof auditLineSchema> {
  return { seq: String(line.seq), ...omit(line, 'prev', 'v', 'seq') };
}
