import type { PgBoss } from 'pg-boss';
import { COMMON_JOB_TABLE, resolveFlowJobs } from 'pg-boss/dist/plans.js';

/**
 * Releases the entries that waited for one of a queue that is done, with the library's own statement. Its `resolveFlow` reads all queues and
 * looks for such entries in each of them; supervision does that, and finds what a process that died here has left.
 */
export async function releaseDependents(boss: PgBoss, schema: string, queue: string): Promise<void> {
  const { text, values } = resolveFlowJobs(schema, COMMON_JOB_TABLE, [queue]);
  await boss.getDb().executeSql(text, values);
}
