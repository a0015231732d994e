import type { Fault } from '../../base/fault.ts';
import type { Approval } from '../run/run-draft.ts';
import { notWaiting } from '../run/decide-run.ts';
import { REJECTED } from '../run/rejected.ts';
import { signDecision } from './check-approval.ts';
import type { Fleet } from './fleet.ts';
import { readItem, readItems, replaceItem } from './item-refs.ts';
import { isFinalRecord, type ItemRecord } from './item-record.ts';

type Decider = Pick<Fleet, 'id' | 'work' | 'remote'>;

/** Reads the record of an item that waits for a person. */
export async function requireWaitingItem(
  { remote }: Pick<Fleet, 'remote'>,
  { jobId, itemId, runId }: { readonly jobId: string; readonly itemId: string; readonly runId: string },
): Promise<ItemRecord> {
  const record = (await readItem(remote, jobId, itemId))?.record;
  if (record?.step === 'waiting' && record.run_id === runId) return record;
  throw notWaiting(runId, `"deed work status ${jobId}" shows its state.`);
}

/**
 * Applies a decision about an item that waits: an approved one can land, a rejected one ends. The ref records who decided, signed with the
 * key of this home.
 */
export async function decideItem(
  decider: Decider,
  waiting: ItemRecord,
  approval: Approval,
): Promise<ItemRecord> {
  const current = await readItem(decider.remote, waiting.job_id, waiting.item_id);
  if (current?.record.step !== 'waiting' || !isSameResult(current.record, waiting)) throw moved(waiting);
  const statement = signDecision(decider.work.home, current.record, approval);
  const { refused: _, ...record } = current.record;
  const common = { ...record, by: decider.id, at: approval.at, approval: { ...approval, statement } };
  const { result } = current.record;
  const message = `${REJECTED}${approval.by}${approval.note === undefined ? '' : `: ${approval.note}`}`;
  const next: ItemRecord =
    approval.decision === 'approved'
      ? { ...common, step: 'result' }
      : {
          ...common,
          step: 'ended',
          code: 'E_DENIED',
          ...(result && { result: { ...result, status: 'denied', denial_reason: message } }),
        };
  if ((await replaceItem(decider.remote, current, next)) === undefined) throw moved(waiting);
  return next;
}

/**
 * Marks the items of a job that have not ended as cancelled, so that no worker can deliver a result for them. `taken` are items that may run
 * without a ref, in their first attempt.
 */
export async function cancelItems(
  decider: Decider,
  jobId: string,
  taken: readonly string[],
): Promise<readonly string[]> {
  const cancelled: string[] = [];
  for (const itemId of new Set([...(await readItems(decider.remote, jobId)).keys(), ...taken])) {
    // A worker or an integrator may be faster; then the item is read again.
    for (;;) {
      const current = await readItem(decider.remote, jobId, itemId);
      if (current !== undefined && (isFinalRecord(current.record) || current.record.step === 'cancelled'))
        break;
      const { fence, attempt, base } = current?.record ?? FIRST_ATTEMPT;
      const at = new Date(decider.work.clock.now()).toISOString();
      const common = { version: 1, job_id: jobId, item_id: itemId, by: decider.id, at } as const;
      const next: ItemRecord = { ...common, step: 'cancelled', fence, attempt, base };
      if ((await replaceItem(decider.remote, current, next)) === undefined) continue;
      cancelled.push(itemId);
      break;
    }
  }
  return cancelled;
}

const FIRST_ATTEMPT: Pick<ItemRecord, 'fence' | 'attempt' | 'base'> = {
  fence: { round: 0, retry: 0 },
  attempt: 1,
};

/** Whether a record still has the result that the person saw. */
function isSameResult(left: ItemRecord, right: ItemRecord): boolean {
  return left.run_id === right.run_id && left.commit === right.commit && left.attempt === right.attempt;
}

function moved({ run_id: runId = '' }: ItemRecord): Fault {
  return notWaiting(runId, 'Another person decided, or the job was cancelled.');
}
