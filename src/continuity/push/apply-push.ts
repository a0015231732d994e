import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { addArtifact, type NewArtifact } from '../artifacts/artifact.ts';
import { appendEvent } from '../events/event.ts';
import { setMemory, type NewMemory } from '../memory/write-memory.ts';
import type { Scope } from '../scope.ts';
import { renewClaim } from '../tasks/claim-task.ts';
import { requireTask, type TaskRow, type TaskStatus } from '../tasks/task.ts';
import { completeTask, setStatus } from '../tasks/write-task.ts';

/** A validated push. */
export interface Push {
  readonly taskId?: string | undefined;
  readonly event?:
    | { readonly kind: string; readonly message: string; readonly metadata?: JsonObject | undefined }
    | undefined;
  readonly memories: readonly NewMemory[];
  readonly artifacts: readonly NewArtifact[];
  readonly taskStatus?: PushStatus | undefined;
}

export interface PushStatus {
  readonly status: TaskStatus;
  readonly summary?: string | undefined;
  readonly label?: string | undefined;
  readonly blockedReason?: string | undefined;
}

export interface PushResult extends JsonObject {
  readonly event_id?: string;
  readonly kind?: string;
  readonly memories?: { key: string; event_id: string }[];
  readonly artifacts?: { artifact_id: string; file_path: string; event_id: string }[];
  readonly task_status?: {
    task_id: string;
    status: string;
    status_event_id: string;
    close_event_id?: string;
  };
}

/** Applies all parts of a push, in this order: event, memories, artifacts, status. */
export async function applyPush(scope: Scope, push: Push): Promise<PushResult> {
  const { event, memories, artifacts, taskStatus } = push;
  assertComplete(push);
  const task = push.taskId === undefined ? undefined : await requireTask(scope.db, push.taskId);
  const eventId =
    event &&
    (await appendEvent(scope, {
      ...event,
      metadata: event.metadata ?? {},
      projectId: task?.project_id ?? null,
      taskId: task?.id ?? null,
    }));
  const remembered: { key: string; event_id: string }[] = [];
  for (const memory of memories) {
    const { eventId: event_id } = await setMemory(scope, memory);
    remembered.push({ key: memory.key, event_id });
  }
  const recorded: { artifact_id: string; file_path: string; event_id: string }[] = [];
  for (const artifact of artifacts) {
    const added = await addArtifact(scope, requireTaskFor(task, 'artifacts'), artifact);
    recorded.push({ artifact_id: added.id, file_path: artifact.filePath, event_id: added.eventId });
  }
  if (task) await renewClaim(scope, task);
  const status = taskStatus && (await applyStatus(scope, requireTaskFor(task, 'task_status'), taskStatus));
  return {
    ...(event && eventId !== undefined && { event_id: eventId, kind: event.kind }),
    ...(remembered.length > 0 && { memories: remembered }),
    ...(recorded.length > 0 && { artifacts: recorded }),
    ...(status && { task_status: status }),
  };
}

/** Throws for a push without any part, and for a push without a task whose parts need one. */
export function assertComplete({ taskId, event, memories, artifacts, taskStatus }: Push): void {
  if (!event && !taskStatus && memories.length === 0 && artifacts.length === 0) throw emptyPush();
  if (taskId === undefined && artifacts.length > 0) throw taskRequired('artifacts');
  if (taskId === undefined && taskStatus) throw taskRequired('task_status');
}

async function applyStatus(
  scope: Scope,
  { id }: TaskRow,
  { status, summary, label, blockedReason }: PushStatus,
): Promise<NonNullable<PushResult['task_status']>> {
  if (summary !== undefined && (status === 'completed' || status === 'blocked')) {
    const outcome = status === 'completed' ? 'done' : 'blocked';
    const closed = await completeTask(scope, id, { outcome, summary, label, blockedReason });
    return {
      task_id: id,
      status,
      status_event_id: closed.statusEventId,
      close_event_id: closed.closeEventId,
    };
  }
  const changed = await setStatus(scope, id, status, blockedReason ?? null);
  return { task_id: id, status, status_event_id: changed.eventId };
}

function requireTaskFor(task: TaskRow | undefined, part: string): TaskRow {
  if (task !== undefined) return task;
  throw taskRequired(part);
}

function taskRequired(part: string): Fault {
  return new Fault('E_VALIDATION', `A push with ${part} requires a task.`, {
    hint: 'Pass task_id.',
    details: { field: 'task_id', part },
  });
}

function emptyPush(): Fault {
  return new Fault('E_VALIDATION', 'The push is empty.', {
    hint: 'Pass at least one of event, memories, artifacts, task_status.',
    details: { field: 'push', allowed: ['event', 'memories', 'artifacts', 'task_status'] },
  });
}
