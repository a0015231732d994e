import type { JsonObject } from '../../base/json.ts';
import { excerpt } from '../../base/text.ts';
import { appendEvent } from '../../continuity/events/event.ts';
import { createScope, type Scope } from '../../continuity/scope.ts';
import { claimTask } from '../../continuity/tasks/claim-task.ts';
import { isClaimedByOther, requireTask, type TaskRow } from '../../continuity/tasks/task.ts';
import { createTask } from '../../continuity/tasks/write-task.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { HeldTask, JobTasks, RunEnding, RunJournal, RunNote } from '../../work/journal/run-journal.ts';
import { catchUpStaged } from './commit-staged.ts';
import { holdTask, leaseFor, releaseTask } from './hold-task.ts';
import {
  inTransaction,
  journalPorts,
  ownerOf,
  projectOf,
  writeJournal,
  type StoreContext,
  type Writing,
} from './journal-store.ts';
import { recordEnding } from './record-ending.ts';

/** Writes runs down in the store of continuity. */
export function openRunJournal(context: StoreContext & Partial<Pick<CommandContext, 'table'>>): RunJournal {
  const write = <T>(note: RunNote, work: (writing: Writing) => Promise<T>): Promise<T> =>
    writeJournal(context, note, work);
  /** Holding and giving back go by how the task stands, so they need no mark to be repeated safely. */
  const forEach = ({ jobId, tasks }: JobTasks, work: (scope: Scope, task: HeldTask) => Promise<void>) =>
    inTransaction(context, async (session) => {
      for (const task of tasks) {
        const owner = ownerOf({ jobId, agentId: task.agentId });
        await work(createScope(session, owner, journalPorts(context)), task);
      }
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
    ended: async (ending) => {
      const { table } = context;
      if (table !== undefined && ending.writes.length > 0) await catchUpStaged({ ...context, table }, ending);
      await write(ending, (writing) => end(writing, ending));
    },
    hold: (job) => forEach(job, (scope, task) => holdTask(scope, task, leaseFor(job.timeoutMs))),
    release: (job) => forEach(job, releaseTask),
  };
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
  return !isClaimedByOther(row, agent, at) && row.status !== 'completed' && row.open_dependencies === 0;
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
