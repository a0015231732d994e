import type { JsonObject } from '../../base/json.ts';
import { excerpt } from '../../base/text.ts';
import { appendEvent } from '../../continuity/events/event.ts';
import type { QueryRunner } from '../../continuity/database/database.ts';
import { createScope, type Scope } from '../../continuity/scope.ts';
import { claimTask } from '../../continuity/tasks/claim-task.ts';
import { isClaimedByOther } from '../../continuity/tasks/holder.ts';
import { readTasks } from '../../continuity/tasks/read-tasks.ts';
import { requireTask, type TaskRow } from '../../continuity/tasks/task.ts';
import { createTask } from '../../continuity/tasks/write-task.ts';
import type { CommandContext } from '../../contract/command.ts';
import type {
  JobTask,
  JobTasks,
  RunOutcome,
  RunJournal,
  RecordedRun,
} from '../../work/journal/run-journal.ts';
import { commitPromoted } from './commit-staged.ts';
import { claimJobTask, leaseFor, releaseTask } from './claim-job-task.ts';
import {
  inTransaction,
  journalPorts,
  jobAgentName,
  withProject,
  writeJournal,
  type JournalRun,
  type StoreContext,
  type JournalTransaction,
} from './journal-store.ts';
import { recordOutcome } from './record-outcome.ts';
import { claimTime } from '../../continuity/store-clock.ts';

/** Records runs in the continuity store. */
export function openRunJournal(context: StoreContext & Partial<Pick<CommandContext, 'table'>>): RunJournal {
  const write = async <R extends RecordedRun, T>(
    recorded: R,
    work: (writing: JournalTransaction, run: JournalRun<R>) => Promise<T>,
  ): Promise<T> => {
    const run = await withProject(context, recorded);
    return writeJournal(context, run, (writing) => work(writing, run));
  };
  /** Claiming and releasing depend only on the state of the task, so they can be repeated without a request id. */
  const forEach = ({ jobId, tasks }: JobTasks, work: (scope: Scope, task: JobTask) => Promise<void>) =>
    inTransaction(context, async (db) => {
      for (const task of tasks) {
        const owner = jobAgentName({ jobId, agentId: task.agentId });
        await work(createScope(db, owner, journalPorts(context)), task);
      }
    });
  return {
    started: (recorded) =>
      write(recorded, async (writing, run) => {
        const taskId = await taskFor(writing, run);
        await writing.once(`${run.runId}:began`, (scope) => start(scope, taskId, run));
        return { taskId };
      }),
    waiting: (recorded) =>
      write(recorded, async (writing, run) => {
        const taskId = await taskFor(writing, run);
        await writing.once(`${run.runId}:waits`, async (scope) => {
          const message = `${run.itemId} (${run.runId}): done and tested, waits for approval`;
          return { event_id: await appendRunEvent(scope, run, 'run_waiting', message, taskId) };
        });
      }),
    ended: async (outcome) => {
      const { table } = context;
      if (table !== undefined && outcome.writes.length > 0)
        await commitPromoted({ ...context, table }, outcome);
      await write(outcome, end);
    },
    claim: (job) => forEach(job, (scope, task) => claimJobTask(scope, task, leaseFor(job.timeoutMs))),
    release: (job) => forEach(job, (scope, task) => releaseTask(scope, task, job)),
  };
}

/**
 * Returns the task of an item: the task that the item was created from; otherwise the open task of an earlier run of the same item, in a
 * job that ended or was interrupted; otherwise a new task for all runs of the item in this job.
 */
async function taskFor({ once }: JournalTransaction, run: JournalRun): Promise<string> {
  if (run.taskId !== undefined) return run.taskId;
  const { task_id } = await once(`${run.jobId}:${run.itemId}:task`, async (scope) => {
    const [first = ''] = run.description.trim().split('\n');
    const title = excerpt(`${run.itemId}: ${first}`, 200);
    const earlier = await findOpenTask(scope.db, { title, run });
    if (earlier !== undefined) return { task_id: earlier };
    const { row } = await createTask(scope, {
      title,
      description: run.description,
      projectId: run.project,
      priority: 0,
    });
    return { task_id: row.id };
  });
  return task_id;
}

/** The maximum number of open tasks that are compared. */
const MAX_OPEN = 1000;

/** Finds the task that an earlier job left open for the same item of the same tree. */
async function findOpenTask(
  db: QueryRunner,
  { title, run }: { readonly title: string; readonly run: JournalRun },
): Promise<string | undefined> {
  for (const status of ['blocked', 'pending']) {
    const rows = await readTasks(db, { status, projectId: run.project, limit: MAX_OPEN });
    const found = rows.find((row) => row.title === title && row.description === run.description);
    if (found !== undefined) return found.id;
  }
  return undefined;
}

async function start(scope: Scope, taskId: string, run: JournalRun): Promise<JsonObject> {
  const row = await requireTask(scope.db, taskId);
  await claimTask(scope, row, { leaseMs: leaseFor(run.timeoutMs) });
  const message = `${run.itemId} (${run.runId}, ${run.agentId}): started`;
  return { event_id: await appendRunEvent(scope, run, 'run_started', message, taskId) };
}

async function end({ db, once }: JournalTransaction, outcome: JournalRun<RunOutcome>): Promise<void> {
  const hasTask = outcome.phase !== 'reconcile';
  const taskId = hasTask ? await taskFor({ db, once }, outcome) : undefined;
  if (taskId !== undefined && outcome.began)
    await once(`${outcome.runId}:began`, (scope) => recordMissedStart(scope, taskId, outcome));
  await once(`${outcome.runId}:ended`, (scope) => recordOutcome(scope, outcome, taskId));
}

/** Records the start of a run that could not be recorded in time, unless the task is claimed by another agent. */
async function recordMissedStart(scope: Scope, taskId: string, run: JournalRun): Promise<JsonObject> {
  const row = await requireTask(scope.db, taskId).catch(() => undefined);
  if (row === undefined || !canClaim(row, scope)) return {};
  return start(scope, taskId, run);
}

function canClaim(row: TaskRow, scope: Scope): boolean {
  return (
    !isClaimedByOther(row, scope, claimTime(scope)) &&
    row.status !== 'completed' &&
    row.open_dependencies === 0
  );
}

function appendRunEvent(
  scope: Scope,
  run: JournalRun,
  kind: string,
  message: string,
  taskId: string,
): Promise<string> {
  const { runId, jobId, itemId, agentId } = run;
  return appendEvent(scope, {
    kind,
    message,
    projectId: run.project,
    taskId,
    metadata: { run_id: runId, job_id: jobId, item_id: itemId, agent_id: agentId },
  });
}
