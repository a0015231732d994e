import type { StoredSession } from '../../agent/stored-session/restore-session.ts';
import { Fault } from '../../base/fault.ts';
import { excerpt } from '../../base/text.ts';

export interface Decisions {
  readonly approve?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

const ALL = 'all';

/** Throws for a decision that is about no waiting call: it would be ignored. `all` leaves out the calls that the other list names. */
export function checkDecisions(
  { approve = [], deny = [] }: Decisions,
  saved: StoredSession | undefined,
): void {
  const given = [...approve, ...deny];
  if (given.length === 0) return;
  const field = approve.length > 0 ? 'approve' : 'deny';
  if (saved === undefined)
    throw new Fault('E_USAGE', `--${field} is for the calls of a stored session.`, {
      hint: 'Pass --resume <id> with the id of the session that waits.',
      details: { field },
    });
  const { id, approvals } = saved;
  if (approvals.length === 0)
    throw new Fault('E_VALIDATION', `Session ${id} has no call that waits for approval.`, {
      hint: `Continue it without --${field}.`,
      details: { field, id },
    });
  const waiting = approvals.map(({ call }) => call);
  const unknown = given.find((call) => call !== ALL && !waiting.includes(call));
  if (unknown !== undefined)
    throw new Fault('E_VALIDATION', `No call "${unknown}" of session ${id} waits for approval.`, {
      hint: `Waiting: ${approvals.map(({ call, tool, arguments: args }) => `${call}: ${tool} ${excerpt(args, 100)}`).join('; ')}. Or pass ${ALL}.`,
      details: {
        field: approve.includes(unknown) ? 'approve' : 'deny',
        value: unknown,
        allowed: [...waiting, ALL],
      },
    });
  const both = approve.find((call) => deny.includes(call));
  if (both !== undefined)
    throw new Fault('E_VALIDATION', `Call ${both} is both approved and denied.`, {
      hint: 'Name each call once.',
      details: { field: 'deny', value: both },
    });
}
