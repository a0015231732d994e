import { listRefs, swapRefs } from '../workspace/remote/remote-refs.ts';
import type { Fleet } from './fleet.ts';
import { ITEM_REFS, readListed, SESSION_REFS, type ItemRemote } from './item-refs.ts';
import { isFinalRecord, type ItemRecord } from './item-record.ts';

const DAY_MS = 86_400_000;

type Listed = readonly (readonly [ref: string, commit: string])[];

type Collector = Pick<Fleet, 'queue' | 'remote'>;

/**
 * Deletes refs that nothing needs: those of jobs whose items all ended or were cancelled long ago, and those of sessions whose item
 * has ended. Returns how many it deleted. Contract: a job is deleted as a whole, because its items depend on each other; one that has an
 * entry in the queue, a ref that cannot be read, or a ref that moves meanwhile, stays. The ledger does not need the refs.
 */
export async function collectRefs(fleet: Collector, keepDays: number): Promise<number> {
  const { remote, queue } = fleet;
  const refs = await listRefs(remote.workspace, remote, [`${ITEM_REFS}/*`, `${SESSION_REFS}/*`]);
  const items = new Map([...refs].filter(([ref]) => ref.startsWith(`${ITEM_REFS}/`)));
  const records = await readListed(remote, items);
  // Asked last: a job that is queued again gets its entries before a worker uses its refs.
  const { nowMs, jobIds: open } = await queue.openJobs();
  const before = nowMs - keepDays * DAY_MS;
  let deleted = 0;
  for (const [jobId, own] of Map.groupBy(refs, ([ref]) => jobOf(ref))) {
    const ofJob = own.flatMap(([ref]) => (items.has(ref) ? [records.get(ref)] : []));
    const isOld =
      !open.has(jobId) &&
      ofJob.every((record) => record !== undefined && hasEndedBefore(record, before)) &&
      (await isCopyOld(fleet, jobId, nowMs - before));
    deleted += await deleteRefs(remote, isOld ? own : own.filter(([ref]) => isEndedSession(ref, records)));
  }
  return deleted;
}

/** `refs/deed/items/<job>/<item>` */
function jobOf(ref: string): string {
  return ref.split('/')[3] ?? '';
}

function hasEndedBefore(record: ItemRecord, before: number): boolean {
  return (isFinalRecord(record) || record.step === 'cancelled') && Date.parse(record.at) < before;
}

/** Whether all copies of the records of a job are old, by the clock of the database: the times in the records are those of hosts with possibly wrong clocks. */
async function isCopyOld({ queue }: Collector, jobId: string, keepMs: number): Promise<boolean> {
  return (await queue.documents.read('items', jobId)).every(({ ageMs }) => ageMs > keepMs);
}

/** A worker that was killed between its delivery and the removal of the session left it: `refs/deed/sessions/<job>/<item>/<attempt>`. */
function isEndedSession(ref: string, records: ReadonlyMap<string, ItemRecord>): boolean {
  if (!ref.startsWith(`${SESSION_REFS}/`)) return false;
  const record = records.get(ref.replace(SESSION_REFS, ITEM_REFS).replace(/\/\d+$/u, ''));
  return record !== undefined && isFinalRecord(record);
}

async function deleteRefs(remote: ItemRemote, refs: Listed): Promise<number> {
  if (refs.length === 0) return 0;
  const moves = refs.map(([ref, from]) => ({ ref, from, to: null }));
  return (await swapRefs(remote.workspace, remote, moves)) ? refs.length : 0;
}
