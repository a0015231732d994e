import type { PgBoss } from 'pg-boss';
import { COMMON_JOB_TABLE, resolveFlowJobs } from 'pg-boss/dist/plans.js';
import { readyNotice } from './pg-boss-ready.ts';

/**
 * Releases the entries that depend on completed entries of one queue, with the library's own statement. The library's `resolveFlow` scans
 * all queues; supervision calls that, which also releases the dependents of a process that was killed before it called this function.
 */
export async function releaseDependents(
  boss: PgBoss,
  schema: string,
  { queue, next }: { readonly queue: string; readonly next: string },
): Promise<void> {
  const { text, values } = resolveFlowJobs(schema, COMMON_JOB_TABLE, [queue]);
  // The statement ends with the list of the entries that others waited for; without one, nothing is announced.
  await boss.getDb().executeSql(`${text.trimEnd()} CROSS JOIN ${readyNotice(schema, next)}`, values);
}
