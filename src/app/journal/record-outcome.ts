import type { JsonObject } from '../../base/json.ts';
import { addArtifact } from '../../continuity/artifacts/artifact.ts';
import { findTask } from '../../continuity/database/queries/tasks.ts';
import { appendEvent } from '../../continuity/events/event.ts';
import { STORE_LIMITS } from '../../continuity/store-limits.ts';
import { setMemory } from '../../continuity/memory/write-memory.ts';
import type { Scope } from '../../continuity/scope.ts';
import { isClaimedByOther } from '../../continuity/tasks/holder.ts';
import type { TaskRow } from '../../continuity/tasks/task.ts';
import { setStatus } from '../../continuity/tasks/write-task.ts';
import type { RunOutcome } from '../../work/journal/run-journal.ts';
import { describeOutcome, interruptedReason, reasonOf } from './describe-outcome.ts';
import type { JournalRun } from './journal-store.ts';
import { claimTime } from '../../continuity/store-clock.ts';

/** The memory key for the summary of a task's last successful run. */
const SUMMARY = 'summary';
/** Further files are counted, not listed. */
const LISTED_FILES = 200;

/** Records the outcome of a run: event, files, memory and the status of its task. */
export async function recordOutcome(
  scope: Scope,
  outcome: JournalRun<RunOutcome>,
  resolvedTaskId: string | undefined,
): Promise<JsonObject> {
  // The task may have been deleted during the run; the event is recorded anyway.
  const task =
    resolvedTaskId === undefined ? undefined : await scope.db.first(findTask, { id: resolvedTaskId });
  const message = describeOutcome(outcome);
  const eventId = await appendEvent(scope, {
    kind: 'run_ended',
    message,
    projectId: task?.project_id ?? outcome.project,
    taskId: task?.id ?? null,
    metadata: {
      run_id: outcome.runId,
      job_id: outcome.jobId,
      item_id: outcome.itemId,
      agent_id: outcome.agentId,
      phase: outcome.phase,
      status: outcome.status,
      ...(outcome.reason !== undefined && { reason: reasonOf(outcome) }),
      receipt_id: outcome.receiptId,
      receipt_hash: outcome.receiptHash,
      files: { ...outcome.counts },
      ...(outcome.files.length > LISTED_FILES && { artifacts_left_out: outcome.files.length - LISTED_FILES }),
    },
  });
  if (task === undefined) return { event_id: eventId };
  for (const { path, sizeBytes, blake3 } of outcome.files.slice(0, LISTED_FILES))
    await addArtifact(scope, task, {
      filePath: path,
      ...(sizeBytes !== null && { facts: { path, sizeBytes, blake3 } }),
    });
  if (outcome.status === 'success') {
    const location = { scope: 'task', scope_id: task.id, key: SUMMARY } as const;
    await setMemory(scope, { ...location, value: message, valueType: 'string', expiresAt: null });
  }
  await updateTaskStatus(scope, task, outcome);
  return { event_id: eventId, task_id: task.id };
}

/**
 * Updates the task of a run. After a denial or failure it is blocked, because another run would fail again. After an interruption it is
 * blocked until its job is resumed, so that no other agent is offered it. After a rollback it is pending again. A task claimed by another
 * agent, or with open dependencies, is not changed.
 */
async function updateTaskStatus(scope: Scope, task: TaskRow, outcome: RunOutcome): Promise<void> {
  if (isClaimedByOther(task, scope, claimTime(scope))) return;
  if (outcome.status === 'rolled_back') {
    if (task.status === 'completed') await setStatus(scope, task.id, 'pending', null);
    return;
  }
  if (task.status === 'completed') return;
  if (outcome.status === 'success') await setStatus(scope, task.id, 'completed', null);
  else if (task.open_dependencies > 0) return;
  else if (outcome.interrupted) await setStatus(scope, task.id, 'blocked', interruptedReason(outcome.jobId));
  else {
    const kind = outcome.status === 'denied' ? 'denied' : 'failure';
    const reason = `${kind}:${reasonOf(outcome)}`.slice(0, STORE_LIMITS.titleCharacters).toWellFormed();
    await setStatus(scope, task.id, 'blocked', reason);
  }
}
