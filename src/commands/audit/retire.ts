import * as v from 'valibot';
import { isoTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { described, int } from '../../base/schema.ts';
import { defineWrite, type CommandContext } from '../../contract/command.ts';
import { refusedToken } from '../../contract/confirm-token.ts';
import type { Change } from '../../contract/plan.ts';
import {
  planRetirement,
  retireMonths,
  type RetireRequest,
  type RetiringMonth,
} from '../../contract/retire-audit.ts';
import { retiredSchema, showRetired } from './retired-month.ts';

const params = {
  before: described(
    v.pipe(v.string(), v.regex(/^\d{4}-(?:0[1-9]|1[0-2])(?:-\d{2})?$/u, 'must be YYYY-MM or YYYY-MM-DD')),
    'Retire the months that ended before this month or date, for example 2026-10',
  ),
  delete: described(
    v.optional(v.boolean(), false),
    'Delete the lines of these months instead of keeping them compressed, also of months that are retired already',
  ),
};

export default defineWrite({
  path: 'audit retire',
  summary: 'Replace old months of the audit log with sealed summaries',
  description:
    'Verifies each month that ended before the given one, writes a summary of it (number of lines and calls, calls per command, the hash of the chain before and after), ' +
    'seals the summary with the key of the chain, and removes the month from the log. Its lines are kept in a compressed file unless --delete is passed. ' +
    'audit verify continues the chain across retired months, and detects a summary that was changed or removed',
  gate: 'dangerous',
  params,
  output: v.object({
    retired: v.array(retiredSchema),
    freed_bytes: int(),
    replayed: v.optional(v.literal(true)),
  }),
  examples: [
    'audit retire --before 2026-10 --dry-run',
    'audit retire --before 2026-10 --confirm <token> --dangerous',
  ],
  errors: ['E_DAMAGED', 'E_CONFLICT'],
  plan: async (given, context) => {
    const months = planRetirement(context.home, readRequest(given, context));
    return { changes: months.map((month) => describeMonth(month, given.delete)), months };
  },
  run: async (given, context, { changes }) => {
    let freed = 0;
    const retired = await retireMonths(context.home, readRequest(given, context), (months) => {
      const versions = months.map((month) => describeMonth(month, given.delete).version).join();
      if (versions !== changes.map(({ version }) => version).join())
        throw refusedToken('changed', 'The audit log changed since the dry run.');
      freed = months.reduce((total, { bytes }) => total + bytes, 0);
    });
    return { retired: retired.map(showRetired), freed_bytes: freed };
  },
});

function describeMonth({ action, summary, bytes }: RetiringMonth, deletes: boolean): Change {
  const { month, lines, calls, first_at, last_at, last_hash } = summary;
  return {
    action,
    resource: 'audit_month',
    id: month,
    before: { lines, calls, bytes, first_at, last_at },
    after: { lines: deletes ? 'deleted' : 'compressed', last_hash },
    version: `${action} ${month} ${last_hash}`,
  };
}

/** The current month is still being written. */
function readRequest(
  given: { readonly before: string; readonly delete: boolean },
  { system }: CommandContext,
): RetireRequest {
  const now = isoTime(system.clock.now());
  const before = given.before.slice(0, 7);
  if (before > now.slice(0, 7)) {
    throw new Fault('E_VALIDATION', `--before: ${given.before} is in the future.`, {
      hint: `The current month cannot be retired. The latest value is ${now.slice(0, 7)}.`,
      details: { field: 'before', value: given.before, max: now.slice(0, 7) },
    });
  }
  return { before, deletes: given.delete, now };
}
