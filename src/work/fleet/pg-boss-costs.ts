import type { PgBoss } from 'pg-boss';
import type { Call } from './pg-boss-queue.ts';
import { NEVER } from './pg-boss-register.ts';
import type { WorkQueue } from './work-queue.ts';

const COSTS = 'deed.costs';
const KEPT_SECONDS = 3 * 86_400;

interface CostsOptions {
  readonly boss: PgBoss;
  readonly call: Call;
  readonly ensure: (name: string) => Promise<string>;
  readonly schema: string;
}

/** Costs are entries that no process takes: one for each queue, day and worker, with the sum of its runs. */
export function createCosts({
  boss,
  call,
  ensure,
  schema,
}: CostsOptions): Pick<WorkQueue, 'addCost' | 'costToday'> {
  const sums = new Map<string, number>();
  const ask = async (sql: string, values: readonly unknown[]): Promise<Record<string, unknown>> => {
    const { rows } = await boss.getDb().executeSql(sql, [...values]);
    return rows[0] as Record<string, unknown>;
  };
  return {
    addCost: (queue, workerId, usd) =>
      call(async () => {
        const { day } = await ask(`SELECT ${TODAY} AS day`, []);
        const key = `${String(day)} ${queue} ${workerId}`;
        const sum = (sums.get(key) ?? 0) + usd;
        const options = { singletonKey: key, startAfter: NEVER, retentionSeconds: KEPT_SECONDS };
        await boss.upsert(await ensure(COSTS), { usd: sum }, options);
        sums.set(key, sum);
      }),
    costToday: (queue) =>
      call(async () => {
        const sum = `SELECT coalesce(sum((data->>'usd')::float8), 0) AS usd FROM ${schema}.job
          WHERE name = $1 AND starts_with(singleton_key, ${TODAY} || $2)`;
        return Number((await ask(sum, [await ensure(COSTS), ` ${queue} `])).usd);
      }),
  };
}

/** The day by the clock of the database, which all hosts share. */
const TODAY = "to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD')";
