import { entryId } from './entry-id.ts';
import { STARTS_AT_WRITE, putEntry, readUnexpired, type EntryOptions } from './pg-boss-entries.ts';
import type { WorkerInfo, WorkQueue } from './work-queue.ts';

export const WORKERS = 'deed.workers';
const DRAINS = 'deed.drains';
const ANNOUNCED_SECONDS = 60;

/** Workers are entries that no process takes: they are overwritten while the worker lives, and expire after it. */
export function createRegister({
  boss,
  call,
  ensure,
  statements,
}: EntryOptions): Pick<WorkQueue, 'announce' | 'withdraw' | 'workers' | 'askToDrain' | 'isAskedToDrain'> {
  const options = (id: string) => ({
    singletonKey: id,
    retentionSeconds: ANNOUNCED_SECONDS,
    ...STARTS_AT_WRITE,
  });
  const remove = async (name: string, id: string): Promise<void> => {
    const found = await boss.findJobs(await ensure(name), { key: id });
    for (const job of found) await boss.deleteJob(name, job.id);
  };
  return {
    announce: (worker) =>
      call(async () => {
        const { id } = worker;
        const place = { id: entryId('worker', id), key: id, keepSeconds: ANNOUNCED_SECONDS } as const;
        await putEntry(boss, await ensure(WORKERS), worker, { ...place, expected: 'stored' });
      }),
    withdraw: (id) =>
      call(async () => Promise.all([WORKERS, DRAINS].map((name) => remove(name, id))).then(() => undefined)),
    workers: () =>
      call(async () => {
        const found = await readUnexpired(boss, statements, await ensure(WORKERS));
        return found.map(({ value, at, ageMs }) => ({ ...(value as WorkerInfo), seenAt: at, ageMs }));
      }),
    askToDrain: (id) =>
      call(async () => {
        await boss.upsert(await ensure(DRAINS), { id }, options(id));
      }),
    isAskedToDrain: (id) =>
      call(async () => (await readUnexpired(boss, statements, await ensure(DRAINS), id)).length > 0),
  };
}
