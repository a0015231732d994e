import type { QueryRunner } from '../database/database.ts';
import { listEvents } from '../database/queries/events.ts';
import { HookInput } from './hook-input.ts';

/** Events of other sessions may be between two of a session. */
const AMONG = 60;

/**
 * The folder in which the session of a call began. A host passes the current folder of its shell, which may be a folder below it by now:
 * the session keeps the project of its last event if that is a folder above.
 */
export async function readSessionFolder(
  db: QueryRunner,
  input: Readonly<Record<string, unknown>>,
  folder: string,
): Promise<string> {
  const session = new HookInput(input).session;
  if (session === '') return folder;
  const newest = await db.all(listEvents(), { limit: AMONG });
  const last = newest.find(({ metadata }) => {
    const { session_id } = JSON.parse(metadata) as { session_id?: unknown };
    return session_id === session;
  });
  const began = last?.project_id ?? '';
  return began !== '' && folder.startsWith(`${began}/`) ? began : folder;
}
