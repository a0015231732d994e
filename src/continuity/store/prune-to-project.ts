import type { Database } from '../database/database.ts';
import * as foreign from '../database/queries/other-project-rows.ts';

/** Deletes from a copy of the store all data of other projects, other agents and requests. */
export async function pruneToProject(
  database: Database,
  projectId: string | null,
  agent: string,
): Promise<void> {
  const project_id = projectId ?? '';
  await database.transaction(async (session) => {
    await session.run(foreign.deleteForeignTasks, { project_id });
    await session.run(foreign.deleteForeignCounts, { project_id });
    await session.run(foreign.deleteForeignEvents, { project_id });
    await session.run(foreign.deleteForeignMemories, { project_id, agent });
    for (const query of session.fullText?.purge ?? []) await session.run(query, {});
    await session.run(foreign.deleteAllRequests, {});
    await session.run(foreign.deleteAllAgentStates, {});
  });
}
