import type { Database } from '../database/database.ts';
import * as foreign from '../database/queries/other-project-rows.ts';

/** Deletes from a copy of the store all data of other projects, other agents and requests. */
export async function pruneToProject(
  database: Database,
  projectId: string | null,
  agent: string,
): Promise<void> {
  const project_id = projectId ?? '';
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
