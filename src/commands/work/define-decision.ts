import * as v from 'valibot';
import { described } from '../../base/schema.ts';
import { databaseOf } from '../../app/locate-store.ts';
import { Fault } from '../../base/fault.ts';
import { defineWrite, type Command } from '../../contract/command.ts';
import type { Change } from '../../contract/plan.ts';
import { describeWrite } from '../../work/journal/describe-write.ts';
import type { Approval, RunDraft } from '../../work/run/run-draft.ts';
import { decideElsewhere, listFiles } from './decide-elsewhere.ts';
import { findFleetRunToDecide } from './find-run-elsewhere.ts';
import { readWaitingItem } from './follow-fleet.ts';
import { loadWork } from './load-work.ts';
import { requireDecider, showsRun } from './require-person.ts';
import { itemResultSchema, RESULT_TEXT, runIdParameter } from './work-schemas.ts';

const REASON = described(
  v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(1000))),
  'The same as --note',
);

/** Defines the commands `work approve` and `work reject`. */
export function defineDecision(decision: 'approved' | 'rejected', summary: string): Command {
  const verb = decision === 'approved' ? 'approve' : 'reject';
  return defineWrite({
    path: `work ${verb}`,
    summary,
    params: {
      id: runIdParameter,
      note: described(
        v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(1000))),
        'Reason, recorded in the receipt',
      ),
      ...(decision === 'rejected' && { reason: REASON }),
    },
    positionals: ['id'],
    output: v.object({
      ...itemResultSchema.entries,
      resume: v.string(),
      replayed: v.optional(v.literal(true)),
      _untrusted: v.optional(v.array(v.string())),
    }),
    untrusted: [...RESULT_TEXT],
    examples: [
      `work ${verb} run_6a2x74g1q2w8d --dry-run`,
      `work ${verb} run_6a2x74g1q2w8d --confirm <token>`,
    ],
    errors: [
      'E_NOT_FOUND',
      'E_CONFLICT',
      'E_HUMAN_REQUIRED',
      'E_TESTS_FAILED',
      'E_DAMAGED',
      'E_FORBIDDEN',
      'E_NETWORK',
    ],
    database: (_params, context) => databaseOf({}, context),
    plan: async ({ id }, context) => {
      requireDecider(context, `${verb} a run`, showsRun(id, context));
      const elsewhere = await findFleetRunToDecide(id, context);
      if (elsewhere !== undefined) {
        const { record } = await readWaitingItem(elsewhere, id, context);
        return { changes: listFiles(record, verb) };
      }
      const { requireWaiting } = await loadWork();
      const draft = requireWaiting(context.home.path, id);
      return { changes: [...fileChanges(draft, decision), ...journalChanges(draft, decision)] };
    },
    run: async ({ id, note: text, reason }, context) => {
      const note = typeof reason === 'string' ? reason : text;
      const by = requireDecider(context, `${verb} a run`, showsRun(id, context));
      const at = new Date(context.system.clock.now()).toISOString();
      const approval = { decision, by, at, ...(note !== undefined && { note }) };
      const elsewhere = await findFleetRunToDecide(id, context);
      if (elsewhere !== undefined) return (await decideElsewhere(elsewhere, id, approval, context)) as never;
      const { decideRun, openWorkContext } = await loadWork();
      const { draft, result } = await decideRun(openWorkContext(context), id, approval);
      const expected = decision === 'approved' ? 'success' : 'denied';
      const answer = { item_id: draft.item.id, run_id: id, ...result };
      if (result.status !== expected) {
        throw new Fault(draft.code ?? 'E_CONFLICT', result.denial_reason ?? result.error ?? result.status, {
          hint: `The tree is unchanged. To run the item again on the tree as it is now: ${context.tool.name} work revise ${id} --comment "…" --dry-run`,
          details: JSON.parse(JSON.stringify(answer)) as Record<string, never>,
        });
      }
      return { ...answer, resume: `${context.tool.name} work run --resume ${draft.jobId}` } as never;
    },
  });
}

export function fileChanges(
  { changes, item, afterHash }: RunDraft,
  decision: Approval['decision'],
): Change[] {
  return changes.map(({ path, action, after }) => ({
    action: decision === 'approved' ? action : 'discard',
    resource: 'file',
    id: path,
    after: { item: item.id, hash: after?.hash ?? null },
    version: afterHash.slice(0, 16),
  }));
}

/** The person decides about the journal writes of the agent too. */
export function journalChanges({ staged = [], item }: RunDraft, decision: Approval['decision']): Change[] {
  return staged.map(describeWrite).map(({ command, target, params, hash }) => ({
    action: decision === 'approved' ? command : 'discard',
    resource: 'journal',
    id: target,
    after: { item: item.id, command, params, hash },
    version: hash.slice(0, 16),
  }));
}
