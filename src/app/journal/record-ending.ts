import type { JsonObject } from '../../base/json.ts';
import { addArtifact } from '../../continuity/artifacts/artifact.ts';
import { findTask } from '../../continuity/database/queries/tasks.ts';
import { appendEvent } from '../../continuity/events/event.ts';
import { STORE_LIMITS } from '../../continuity/store-limits.ts';
import { setMemory } from '../../continuity/memory/write-memory.ts';
import type { Scope } from '../../continuity/scope.ts';
import { isClaimedByOther, type TaskRow } from '../../continuity/tasks/task.ts';
import { setStatus } from '../../continuity/tasks/write-task.ts';
import type { RunEnding } from '../../work/journal/run-journal.ts';
import { describeEnding, reasonOf } from './describe-ending.ts';
import { projectOf } from './journal-store.ts';

/** The key under which a task remembers what its last successful run did. */
const SUMMARY = 'summary';
/** More files than these are counted, not listed. */
const LISTED_FILES = 200;

/** Writes down how a run ended: what happened, which files it left, what to remember, how its task stands. */
export async function recordEnding(
  scope: Scope,
  ending: RunEnding,
  taskId: string | undefined,
): Promise<JsonObject> {
  // Somebody may have deleted the task while the run was under way; what happened is told all the same.
  const task = taskId === undefined ? undefined : await scope.session.first(findTask, { id: taskId });
  const message = describeEnding(ending);
  const eventId = await appendEvent(scope, {
    kind: 'run_ended',
    message,
    projectId: task?.project_id ?? projectOf(ending),
    taskId: task?.id ?? null,
    metadata: {
      run_id: ending.runId,
      job_id: ending.jobId,
      item_id: ending.itemId,
      agent_id: ending.agentId,
      phase: ending.phase,
      status: ending.status,
      ...(ending.reason !== undefined && { reason: reasonOf(ending) }),
      receipt_id: ending.receiptId,
      receipt_hash: ending.receiptHash,
      files: { ...ending.counts },
      ...(ending.files.length > LISTED_FILES && { artifacts_left_out: ending.files.length - LISTED_FILES }),
    },
  });
  if (task === undefined) return { event_id: eventId };
  for (const { path, sizeBytes, blake3 } of ending.files.slice(0, LISTED_FILES))
    await addArtifact(scope, task, {
      filePath: path,
      ...(sizeBytes !== null && { facts: { sizeBytes, blake3 } }),
    });
  if (ending.status === 'success') {
    const place = { scope: 'task', scope_id: task.id, key: SUMMARY } as const;
    await setMemory(scope, { ...place, value: message, valueType: 'string', expiresAt: null });
  }
  await closeTask(scope, task, ending);
  return { event_id: eventId, task_id: task.id };
}

/**
 * Brings a task to where its run left it. What was denied or failed would be so again, so it is set aside until somebody has looked
 * at it; what was only cut off goes back to the queue, and so does what was done and taken back. A task that is another's by now,
 * or that waits for others, is left as it is.
 */
async function closeTask(scope: Scope, task: TaskRow, ending: RunEnding): Promise<void> {
  if (isClaimedByOther(task, scope.agent, scope.at)) return;
  if (ending.status === 'rolled_back') {
    if (task.status === 'completed') await setStatus(scope, task.id, 'pending', null);
    return;
  }
  if (task.status === 'completed') return;
  if (ending.status === 'success') await setStatus(scope, task.id, 'completed', null);
  else if (task.open_dependencies > 0) return;
  else if (ending.interrupted) await setStatus(scope, task.id, 'pending', null);
  else {
    const kind = ending.status === 'denied' ? 'denied' : 'failure';
    const reason = `${kind}:${reasonOf(ending)}`.slice(0, STORE_LIMITS.titleCharacters).toWellFormed();
    await setStatus(scope, task.id, 'blocked', reason);
  }
}
