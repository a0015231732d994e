import type { Database } from '../database/database.ts';
import { listAgentStates, listFocus } from '../database/queries/agents.ts';
import { countArtifacts } from '../database/queries/artifacts.ts';
import { countEvents } from '../database/queries/events.ts';
import { countMemories, listExpired } from '../database/queries/memories.ts';
import { countRequests } from '../database/queries/requests.ts';
import { listClaims } from '../database/queries/tasks.ts';
import { readTaskCounts } from '../tasks/read-tasks.ts';

const MAX_DIAGNOSTICS = 50;

export interface Diagnostic {
  readonly code: 'STALE_FOCUS' | 'STALE_IN_PROGRESS';
  readonly message: string;
  readonly task_id: string;
  readonly agent_name: string;
}

/** Reads counts, the state of an agent, and diagnostics. */
export async function readStatus(database: Database, at: string, agent: string | undefined) {
  const total = async (query: typeof countEvents): Promise<number> =>
    (await database.first(query, {}))?.total ?? 0;
  const states = agent === undefined ? [] : await database.all(listAgentStates, { agent });
  return {
    counts: {
      tasks: await readTaskCounts(database),
      events: await total(countEvents),
      memories: await total(countMemories),
      artifacts: await total(countArtifacts),
    },
    maintenance: {
      expired_memories: (await database.all(listExpired, { at, since: '', limit: 1000 })).length,
      stored_requests: await total(countRequests),
    },
    agent_state: states.map(({ project_id, cursor, focus_task_id, updated_at }) => ({
      project_id: project_id === '' ? null : project_id,
      cursor: String(cursor),
      focus_task_id,
      updated_at,
    })),
    diagnostics: await readDiagnostics(database, at),
  };
}

async function readDiagnostics(database: Database, at: string): Promise<Diagnostic[]> {
  const claims = await database.all(listClaims, { limit: MAX_DIAGNOSTICS });
  const focus = await database.all(listFocus, { limit: MAX_DIAGNOSTICS });
  return [
    ...focus
      .filter(({ status }) => status === 'completed')
      .map(({ agent_name, focus_task_id }): Diagnostic => ({
        code: 'STALE_FOCUS',
        message: 'The focus task of this agent is completed; its next resume selects another one.',
        task_id: focus_task_id ?? '',
        agent_name,
      })),
    ...claims
      .filter(({ claim_expires_at }) => claim_expires_at === null || claim_expires_at <= at)
      .map(({ id, claimed_by, claim_expires_at }): Diagnostic => ({
        code: 'STALE_IN_PROGRESS',
        message: `The claim expired at ${claim_expires_at ?? 'an unknown time'}; any agent can begin the task.`,
        task_id: id,
        agent_name: claimed_by ?? '',
      })),
  ];
}
