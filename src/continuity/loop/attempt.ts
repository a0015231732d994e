import { RELEASED } from '../database/task-columns.ts';
import type { JsonObject } from '../../base/json.ts';
import { redactText } from '../../base/secrets/redact.ts';
import { escapeRecorded, frame } from '../brief/frame.ts';
import type { QueryRunner } from '../database/database.ts';
import { appendEvent, readEvents } from '../events/event.ts';
import type { Scope } from '../scope.ts';
import { STORE_LIMITS } from '../store-limits.ts';
import { changeTask, logStatusChange, WAITING_FOR_DEPENDENCY } from '../tasks/change-task.ts';
import { requireTask, type TaskRow } from '../tasks/task.ts';
import { setStatus } from '../tasks/write-task.ts';

/** How the program of an agent ended. */
export interface AgentExit {
  readonly outcome: 'exited' | 'failed' | 'timeout';
  /** The last lines of its output; empty if it succeeded. */
  readonly error: string;
}

export interface AttemptLimits {
  readonly maxAttempts: number;
  /** The pause after the first failed attempt; it doubles with each further one. */
  readonly backoffMs: number;
}

const FAILED = 'task_attempt_failed';
const MAX_ERROR_CHARACTERS = 2000;

/**
 * Records how an attempt at a claimed task ended. A task that the agent left open returns to the queue after a pause; after its last attempt
 * it is blocked with the error, so that the tasks behind it get their turn. `claimed` is the task as it was claimed.
 */
export async function recordAttempt(
  scope: Scope,
  claimed: TaskRow,
  exit: AgentExit,
  limits: AttemptLimits,
): Promise<string> {
  const row = await requireTask(scope.db, claimed.id);
  if (row.claim_number !== claimed.claim_number) return 'lost';
  if (row.status === 'completed' || row.status === 'blocked') return row.status;
  if (exit.outcome === 'timeout') {
    await setStatus(scope, row.id, 'blocked', 'failure:timeout');
    return 'timeout';
  }
  const attempt = claimed.attempts + 1;
  const isLast = attempt >= limits.maxAttempts;
  const error = describeError(exit);
  await appendEvent(scope, {
    kind: FAILED,
    message: `Attempt ${attempt} of ${limits.maxAttempts} failed: ${error}`,
    projectId: row.project_id,
    taskId: row.id,
    metadata: { attempt, max_attempts: limits.maxAttempts, outcome: exit.outcome, error },
  });
  if (isLast) {
    const reason = `failure:${error}`.slice(0, STORE_LIMITS.titleCharacters).toWellFormed();
    await release(scope, row, { status: 'blocked', blocked_reason: reason, attempts: attempt });
    return 'blocked';
  }
  const retryAt = new Date(scope.nowMs + limits.backoffMs * 2 ** (attempt - 1)).toISOString();
  await release(scope, row, { ...queuedAgain(row), attempts: attempt, retry_at: retryAt });
  return exit.outcome === 'failed' ? 'failed' : 'incomplete';
}

/** Returns a claimed task to the queue without counting an attempt: the loop ended, or could not start the agent. */
export async function returnTask(scope: Scope, claimed: TaskRow): Promise<void> {
  const row = await requireTask(scope.db, claimed.id);
  if (row.claim_number !== claimed.claim_number || row.status !== 'in_progress') return;
  await release(scope, row, queuedAgain(row));
}

/** The part of a prompt that describes what failed in the previous attempt; undefined for the first one. */
export async function describePreviousAttempt(
  db: QueryRunner,
  { id, attempts }: TaskRow,
  { maxAttempts }: AttemptLimits,
): Promise<string | undefined> {
  if (attempts === 0) return undefined;
  const [last] = await readEvents(db, {
    taskId: id,
    kind: FAILED,
    ascending: false,
    includeArchived: true,
    limit: 1,
  });
  const { error } = (last?.metadata ?? {}) as JsonObject & { error?: unknown };
  const lines = typeof error === 'string' ? escapeRecorded(error).split('\n') : [];
  return [
    `This is attempt ${attempts + 1} of ${Math.max(maxAttempts, attempts + 1)} at this task. The previous attempt failed:`,
    frame(lines),
    'Find out why it failed before you repeat its steps. If the task cannot be done, complete it with the outcome blocked and the reason.',
  ].join('\n');
}

function describeError({ outcome, error }: AgentExit): string {
  const text = redactText(error.toWellFormed().replaceAll('\u0000', '')).trim();
  if (text !== '') return text.slice(-MAX_ERROR_CHARACTERS);
  return outcome === 'failed'
    ? 'The agent failed without a message.'
    : 'The agent exited without completing the task.';
}

function queuedAgain({ open_dependencies }: TaskRow): Pick<TaskRow, 'blocked_reason'> & {
  status: 'pending' | 'blocked';
} {
  return open_dependencies === 0
    ? { status: 'pending', blocked_reason: null }
    : { status: 'blocked', blocked_reason: WAITING_FOR_DEPENDENCY };
}

async function release(
  scope: Scope,
  row: TaskRow,
  change: Omit<Parameters<typeof changeTask>[2], keyof typeof RELEASED>,
): Promise<void> {
  const next = await changeTask(scope, row, { ...change, ...RELEASED });
  if (next.status !== row.status)
    await logStatusChange(scope, next, row.status, { cause: 'loop', reason: next.blocked_reason });
}
