import { STARTS_AT_WRITE, type EntryOptions } from './pg-boss-entries.ts';
import type { WorkQueue } from './work-queue.ts';

const COSTS = 'deed.costs';
const KEPT_SECONDS = 3 * 86_400;

/** Costs are entries that no process takes: one for each queue, day and worker, with the sum of its runs. */
export function createCosts({
  boss,
  call,
  ensure,
  statements,
}: EntryOptions): Pick<WorkQueue, 'addCost' | 'costToday'> {
  const sums = new Map<string, number>();
  const ask = async (statement: string, values: readonly unknown[]): Promise<Record<string, unknown>> => {
    const { rows } = await boss.getDb().executeSql(statement, [...values]);
    return rows[0] as Record<string, unknown>;
  };
  return {
    addCost: (queue, workerId, usd) =>
      call(async () => {
        const { day } = await ask(statements.today, []);
        const key = `${String(day)} ${queue} ${workerId}`;
        const sum = (sums.get(key) ?? 0) + usd;
        const options = { singletonKey: key, retentionSeconds: KEPT_SECONDS, ...STARTS_AT_WRITE };
        await boss.upsert(await ensure(COSTS), { usd: sum }, options);
        sums.set(key, sum);
      }),
    costToday: (queue) =>
      call(async () => {
        const { usd } = await ask(statements.sumOfToday, [await ensure(COSTS), ` ${queue} `]);
        return Number(usd);
      }),
  };
}
