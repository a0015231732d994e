import { rememberFor } from '../../base/remember-for.ts';
import type { JsonObject } from '../../base/json.ts';
import { createTail, randomHex } from '../../base/ids.ts';
import type { QueryRunner } from '../../continuity/database/database.ts';
import { openStore } from '../../continuity/database/open-store.ts';
import { writeWithin } from '../../continuity/idempotency.ts';
import type { Scope, StorePorts } from '../../continuity/scope.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { RecordedRun } from '../../work/journal/run-journal.ts';
import { locateStore, storePassword } from '../locate-store.ts';
import { projectOf } from '../project-of.ts';
import { storeRecord } from '../store-record.ts';

export type StoreContext = Pick<CommandContext, 'system' | 'home'>;

/** Runs continue if the store is busy, so they do not wait long; what could not be written is written later. */
const BUSY_MS = 2000;
/** A promotion with staged writes depends on the store, so it waits longer. */
export const COMMIT_BUSY_MS = 20_000;

/** A run with its project in the store; it is determined once, where the journal is written. */
export type JournalRun<R extends RecordedRun = RecordedRun> = R & { readonly project: string | null };

/** A worker writes about many runs of the same tree; the name of its repository changes rarely. */
const PROJECT_MS = 30_000;
const rememberedProject = rememberFor(
  PROJECT_MS,
  ({ home }: StoreContext, root: string) => JSON.stringify([home.path, root]),
  (context, root) => projectOf(context, root),
);

export async function withProject<R extends RecordedRun>(
  context: StoreContext,
  run: R,
): Promise<JournalRun<R>> {
  return { ...run, project: await rememberedProject(context, run.root) };
}

/** One transaction on the store. Each part runs once, even if the transaction is repeated or another process repeats it. */
export interface JournalTransaction {
  readonly db: QueryRunner;
  readonly once: <T extends JsonObject>(what: string, work: (scope: Scope) => Promise<T>) => Promise<T>;
}

/** Writes about a run, as the agent of its job. */
export function writeJournal<T>(
  context: StoreContext,
  run: Pick<RecordedRun, 'agentId' | 'jobId'>,
  work: (writing: JournalTransaction) => Promise<T>,
  busyMs = BUSY_MS,
): Promise<T> {
  const ports = journalPorts(context);
  const within = (db: QueryRunner): Promise<T> =>
    work({
      db,
      once: (what, part) => {
        const key = {
          requestId: what,
          command: 'work run',
          params: {},
          onPayloadMismatch: 'replay',
        } as const;
        return writeWithin(db, { ...key, agent: jobAgentName(run) }, ports, part);
      },
    });
  return inTransaction(context, within, busyMs);
}

export async function inTransaction<T>(
  context: StoreContext,
  work: (db: QueryRunner) => Promise<T>,
  busyTimeoutMs = BUSY_MS,
): Promise<T> {
  const { path } = locateStore({}, context);
  const database = await openStore(path, {
    busyTimeoutMs,
    record: storeRecord(context.home, path, context.system.clock.now),
    ...storePassword(context),
  });
  try {
    return await database.transaction(work);
  } finally {
    database.close();
  }
}

export function journalPorts({ system }: StoreContext): StorePorts {
  return { now: system.clock.now, randomHex, createTail, describeFile: async () => undefined };
}

/** The agent name of a job; unique per job, so that no job can take a task that another job has claimed. */
export function jobAgentName({ agentId, jobId }: Pick<RecordedRun, 'agentId' | 'jobId'>): string {
  return `${agentId}@${jobId}`;
}
