import type { Database } from '../database/database.ts';
import * as foreign from '../database/queries/other-project-rows.ts';
import type { Reader } from '../database/queries/project-rows.ts';

/** Deletes from a copy of the store all data of other projects, other agents and requests. */
export async function pruneToProject(
  database: Database,
  { project: project_id, agent }: Reader,
): Promise<void> {
  await database.transaction(async (db) => {
    await db.run(foreign.deleteForeignTasks, { project_id });
    await db.run(foreign.deleteForeignCounts, { project_id });
    await db.run(foreign.deleteForeignEvents, { project_id });
    await db.run(foreign.deleteForeignMemories, { project_id, agent });
    for (const query of db.fullText?.purge ?? []) await db.run(query, {});
    await db.run(foreign.deleteAllRequests, {});
    await db.run(foreign.deleteAllAgentStates, {});
  });
}
