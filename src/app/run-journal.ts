import type { JsonObject } from '../base/json.ts';
import { randomHex } from '../base/ids.ts';
import { excerpt } from '../base/text.ts';
import type { Session } from '../continuity/database/database.ts';
import { openSqlite } from '../continuity/database/sqlite/open-sqlite.ts';
import { appendEvent } from '../continuity/events/event.ts';
import { writeWithin } from '../continuity/idempotency.ts';
import { STORE_LIMITS } from '../continuity/limits.ts';
import { createScope, type Scope, type StorePorts } from '../continuity/scope.ts';
import { claimTask } from '../continuity/tasks/claim-task.ts';
import { heldByAnother, requireTask, type TaskRow } from '../continuity/tasks/task.ts';
import { createTask } from '../continuity/tasks/write-task.ts';
import type { CommandContext } from '../contract/context.ts';
import type { HeldTask, JobTasks, RunEnding, RunJournal, RunNote } from '../work/journal/run-journal.ts';
import { holdTask, leaseFor, releaseTask } from './hold-tasks.ts';
import { locateStore } from './locate-store.ts';
import { recordEnding } from './record-ending.ts';

/** Work goes on while it waits for the store, so it does not wait long; what could not be written is written later. */
const BUSY_MS = 2000;

/** One call on the store: a transaction in which each part is done once, whenever and by whomever it is repeated. */
interface Writing {
  readonly session: Session;
  readonly once: <T extends JsonObject>(what: string, work: (scope: Scope) => Promise<T>) => Promise<T>;
}

/** Writes runs down in the store of continuity. */
export function openRunJournal(context: Pick<CommandContext, 'world' | 'home'>): RunJournal {
  const { clock } = context.world;
  const ports: StorePorts = { now: clock.now, randomHex, describeFile: async () => undefined };
  const transaction = async <T>(work: (session: Session) => Promise<T>): Promise<T> => {
    const database = openSqlite(locateStore({}, context).path, { busyTimeoutMs: BUSY_MS });
    try {
      return await database.transaction(work);
    } finally {
      database.close();
    }
  };
  const write = <T>(note: RunNote, work: (writing: Writing) => Promise<T>): Promise<T> =>
    transaction((session) => {
      const once: Writing['once'] = (what, part) => {
        const key = { requestId: what, command: 'work run', params: {}, otherPayload: 'tell' } as const;
        return writeWithin(session, { ...key, agent: ownerOf(note) }, ports, part);
      };
      return work({ session, once });
    });
  /** Holding and giving back go by how the task stands, so they need no mark to be repeated safely. */
  const forEach = ({ jobId, tasks }: JobTasks, work: (scope: Scope, task: HeldTask) => Promise<void>) =>
    transaction(async (session) => {
      for (const task of tasks)
        await work(createScope(session, ownerOf({ jobId, agentId: task.agentId }), ports), task);
    });
  return {
    began: (note) =>
      write(note, async (writing) => {
        const taskId = await taskFor(writing, note);
        await writing.once(`${note.runId}:began`, (scope) => begin(scope, taskId, note));
        return { taskId };
      }),
    waits: (note) =>
      write(note, async (writing) => {
        const taskId = await taskFor(writing, note);
        await writing.once(`${note.runId}:waits`, async (scope) => {
          const message = `${note.itemId} (${note.runId}): done and tested, waits for a person`;
          return { event_id: await tell(scope, note, 'run_waiting', message, taskId) };
        });
      }),
    ended: (ending) => write(ending, (writing) => end(writing, ending)),
    hold: (job) => forEach(job, (scope, task) => holdTask(scope, task, leaseFor(job.timeoutMs))),
    release: (job) => forEach(job, releaseTask),
  };
}

/** The name under which a job works for an agent; no two jobs share one, so none can take a task that another has claimed. */
export function ownerOf({ agentId, jobId }: Pick<RunNote, 'agentId' | 'jobId'>): string {
  return `${agentId}@${jobId}`;
}

/** A project is named by the folder that is worked in, literally. */
export function projectOf({ root }: Pick<RunNote, 'root'>): string | null {
  return root.length <= STORE_LIMITS.nameCharacters ? root : null;
}

/** The task of an item: the one that it came from, or one of its own for all its runs in a job. */
async function taskFor({ once }: Writing, note: RunNote): Promise<string> {
  if (note.taskId !== undefined) return note.taskId;
  const { task_id } = await once(`${note.jobId}:${note.itemId}:task`, async (scope) => {
    const [first = ''] = note.description.trim().split('\n');
    const { row } = await createTask(scope, {
      title: excerpt(`${note.itemId}: ${first}`, 200),
      description: note.description,
      projectId: projectOf(note),
      priority: 0,
    });
    return { task_id: row.id };
  });
  return task_id;
}

async function begin(scope: Scope, taskId: string, note: RunNote): Promise<JsonObject> {
  const row = await requireTask(scope.session, taskId);
  await claimTask(scope, row, { leaseMs: leaseFor(note.timeoutMs) });
  const message = `${note.itemId} (${note.runId}, ${note.agentId}): begun`;
  return { event_id: await tell(scope, note, 'run_started', message, taskId) };
}

async function end({ session, once }: Writing, ending: RunEnding): Promise<void> {
  const hasTask = ending.phase !== 'reconcile';
  const taskId = hasTask ? await taskFor({ session, once }, ending) : undefined;
  if (taskId !== undefined && ending.began)
    await once(`${ending.runId}:began`, (scope) => catchUp(scope, taskId, ending));
  await once(`${ending.runId}:ended`, (scope) => recordEnding(scope, ending, taskId));
}

/** The beginning of a run that the store could not take at its time. Whose the task is by now does not matter any more. */
async function catchUp(scope: Scope, taskId: string, note: RunNote): Promise<JsonObject> {
  const row = await requireTask(scope.session, taskId).catch(() => undefined);
  if (row === undefined || !canClaim(row, scope)) return {};
  return begin(scope, taskId, note);
}

function canClaim(row: TaskRow, { agent, at }: Scope): boolean {
  return !heldByAnother(row, agent, at) && row.status !== 'completed' && row.open_dependencies === 0;
}

function tell(scope: Scope, note: RunNote, kind: string, message: string, taskId: string): Promise<number> {
  const { runId, jobId, itemId, agentId } = note;
  return appendEvent(scope, {
    kind,
    message,
    projectId: projectOf(note),
    taskId,
    metadata: { run_id: runId, job_id: jobId, item_id: itemId, agent_id: agentId },
  });
}
