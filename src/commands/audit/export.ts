import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { requireTime } from '../../base/require-time.ts';
import { readAudit } from '../../contract/read-audit.ts';
import { defineStream } from '../../contract/command.ts';
import { auditLineSchema, showLine } from './audit-line.ts';

export default defineStream({
  path: 'audit export',
  summary: 'Stream past calls, oldest first, one JSON line each',
  params: { since: described(v.optional(v.string()), 'Only calls at or after this time (ISO 8601)') },
  item: v.object({ ...auditLineSchema.entries, _untrusted: v.optional(v.array(v.string())) }),
  sort: 'seq ascending',
  untrusted: ['args', 'agent', 'request_id', 'note'],
  examples: ['audit export', 'audit export --since 2026-01-01T00:00:00Z --fields at,command,exit_code'],
  run: async function* ({ since }, { home }) {
    const from = since === undefined ? undefined : requireTime(since, 'since');
    for await (const line of readAudit(home)) {
      if (from === undefined || Date.parse(line.at) >= from) yield showLine(line);
    }
  },
});
