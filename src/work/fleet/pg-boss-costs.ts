import type { PgBoss } from 'pg-boss';
import type { Call } from './pg-boss-call.ts';
import { FROM_NOW } from './pg-boss-documents.ts';
import type { WorkQueue } from './work-queue.ts';

const COSTS = 'deed.costs';
const KEPT_SECONDS = 3 * 86_400;

/** Statements that the database of the queue understands. */
export interface CostStatements {
  /** Selects `day`, the day by the clock of the database. */
  readonly today: string;
  /** Selects `usd`, the sum of the entries of a queue ($1) whose key starts with the day and a text ($2). */
  readonly sumOfToday: string;
}

interface CostsOptions {
  readonly boss: PgBoss;
  readonly call: Call;
  readonly ensure: (name: string) => Promise<string>;
  readonly statements: CostStatements;
}

/** Costs are entries that no process takes: one for each queue, day and worker, with the sum of its runs. */
export function createCosts({
  boss,
  call,
  ensure,
  statements,
}: CostsOptions): Pick<WorkQueue, 'addCost' | 'costToday'> {
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
        const options = { singletonKey: key, retentionSeconds: KEPT_SECONDS, ...FROM_NOW };
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
