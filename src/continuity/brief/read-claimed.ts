import type { QueryRunner } from '../database/database.ts';
import { listClaimed } from '../database/queries/tasks.ts';
import { isHolder } from '../tasks/holder.ts';
import type { ClaimedTask } from './brief.ts';

const MAX_READ = 50;
const MAX_SHOWN = 8;

/** Who reads a brief, when, and with which task in focus. */
interface Reader {
  readonly agent: string;
  readonly claimSession?: string | null | undefined;
  readonly task: { readonly id: string } | undefined;
  readonly at: string;
}

/** The tasks that other agents or sessions work on now, without the task in focus, whose line names its claim. */
export async function readClaimed(
  db: QueryRunner,
  { agent, claimSession = null, task, at }: Reader,
  projectId: string | undefined,
): Promise<ClaimedTask[]> {
  const filter = projectId !== undefined && 'project';
  const rows = await db.all(listClaimed(filter), { at, project_id: projectId ?? '', limit: MAX_READ });
  return rows
    .filter((row) => row.id !== task?.id && !isHolder(row, { agent, claimSession }))
    .slice(0, MAX_SHOWN)
    .map(({ id, title, claimed_by, claim_session, claim_expires_at }) => ({
      id,
      title,
      agent: claimed_by ?? '',
      ...(claim_session !== null && { session: claim_session }),
      expires_at: claim_expires_at ?? '',
    }));
}
