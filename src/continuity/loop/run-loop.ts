import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Database } from '../database/database.ts';
import { appendEvent } from '../events/event.ts';
import { resumeWork, setFocus } from '../focus/resume-work.ts';
import { writeOnce } from '../idempotency.ts';
import { STORE_LIMITS } from '../store-limits.ts';
import type { Scope, StorePorts } from '../scope.ts';
import { claimTask, renewClaim } from '../tasks/claim-task.ts';
import { requireTask, type TaskRow } from '../tasks/task.ts';
import { setStatus } from '../tasks/write-task.ts';

export interface LoopOptions {
  readonly agent: string;
  readonly projectId: string | undefined;
  readonly maxTasks: number;
  readonly maxFails: number;
  readonly cooldownMs: number;
  /** The command line for `vybe` in the prompt. */
  readonly vybe?: string;
}

/** The dependencies of a loop. */
export interface LoopPorts extends StorePorts {
  /** Runs the agent on a prompt. Contract: returns when its whole process tree has exited; a timeout is returned, not thrown. */
  readonly runAgent: (prompt: string) => Promise<'exited' | 'failed' | 'timeout'>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly stopped: () => boolean;
  readonly progress: (message: string) => void;
  /** Calls an action at an interval until the returned function is called. */
  readonly every: (ms: number, action: () => void) => () => void;
}

export interface LoopResult extends JsonObject {
  readonly completed: number;
  readonly failed: number;
  readonly total: number;
  readonly duration_sec: number;
  readonly results: { task_id: string; task_title: string; status: string; duration: number }[];
}

/**
 * Processes the queue: claims the next task, runs the agent, then checks the status of the task. Stops when no task is ready, after
 * `maxTasks` tasks, or after `maxFails` consecutive failures.
 */
export async function runLoop(
  database: Database,
  options: LoopOptions,
  ports: LoopPorts,
): Promise<LoopResult> {
  const startedAt = ports.now();
  const results: LoopResult['results'][number][] = [];
  let consecutiveFailures = 0;
  while (results.length < options.maxTasks && consecutiveFailures < options.maxFails) {
    if (results.length > 0) await ports.sleep(options.cooldownMs);
    if (ports.stopped()) break;
    const next = await claimNext(database, options, ports);
    if (next === undefined) break;
    ports.progress(`${next.task.id}: started`);
    const taskStartedAt = ports.now();
    const status = await runTask(database, options, ports, next);
    consecutiveFailures = status === 'completed' ? 0 : consecutiveFailures + 1;
    ports.progress(`${next.task.id}: ${status}`);
    results.push({
      task_id: next.task.id,
      task_title: next.task.title,
      status,
      duration: Math.round((ports.now() - taskStartedAt) / 100) / 10,
    });
  }
  const completed = results.filter(({ status }) => status === 'completed').length;
  const result: LoopResult = {
    completed,
    failed: results.length - completed,
    total: results.length,
    duration_sec: Math.round((ports.now() - startedAt) / 100) / 10,
    results,
  };
  await write(database, options, ports, async (scope) => {
    await appendEvent(scope, {
      kind: 'loop_finished',
      message: `${completed} of ${results.length} completed`,
      projectId: options.projectId ?? null,
      metadata: { ...result, results: results.map(({ task_id, status }) => ({ task_id, status })) },
    });
    return {};
  });
  return result;
}

async function claimNext(
  database: Database,
  options: LoopOptions,
  ports: LoopPorts,
): Promise<{ task: TaskRow; prompt: string } | undefined> {
  // Choosing and claiming are one transaction, so two loops never get the same task.
  const claimed = await write(database, options, ports, async (scope) => {
    const request = { ...options, limit: 100, focus: undefined, budgetTokens: 1500 };
    const { focus_task_id } = await resumeWork(scope, request);
    if (focus_task_id === null) return { task: null };
    const row = await requireTask(scope.session, focus_task_id);
    if (row.status === 'blocked') return { task: null };
    const { row: claimedRow } = await claimTask(scope, row, {});
    await setFocus(scope, row.id, row.project_id);
    const { prompt } = await resumeWork(scope, { ...request, focus: row.id });
    return { task: claimedRow as unknown as JsonObject, prompt };
  });
  return claimed.task === null
    ? undefined
    : { task: claimed.task as unknown as TaskRow, prompt: claimed.prompt };
}

async function runTask(
  database: Database,
  options: LoopOptions,
  ports: LoopPorts,
  { task, prompt }: { task: TaskRow; prompt: string },
): Promise<string> {
  const stop = ports.every(STORE_LIMITS.defaultLeaseMs / 3, () => {
    write(database, options, ports, async (scope) => {
      await renewClaim(scope, await requireTask(scope.session, task.id));
      return {};
    }).catch((error: unknown) => ports.progress(`${task.id}: cannot renew the claim: ${String(error)}`));
  });
  const outcome = await ports.runAgent(prompt).finally(stop);
  const { status } = await write(database, options, ports, async (scope) => ({
    status: await recordOutcome(scope, task.id, outcome),
  }));
  return status;
}

/** Records the result. A task that the agent left in progress returns to the queue; one that timed out is blocked. */
async function recordOutcome(
  scope: Scope,
  id: string,
  outcome: 'exited' | 'failed' | 'timeout',
): Promise<string> {
  const row = await requireTask(scope.session, id);
  if (row.status === 'completed' || row.status === 'blocked') return row.status;
  if (row.claimed_by !== scope.agent) return 'lost';
  if (outcome === 'timeout') {
    await setStatus(scope, id, 'blocked', 'failure:timeout');
    return 'timeout';
  }
  await setStatus(scope, id, 'pending', null);
  return outcome === 'failed' ? 'failed' : 'incomplete';
}

async function write<T extends JsonObject>(
  database: Database,
  { agent }: LoopOptions,
  ports: StorePorts,
  work: (scope: Scope) => Promise<T>,
): Promise<T> {
  const key = {
    agent,
    requestId: undefined,
    command: 'loop',
    params: {},
    onPayloadMismatch: 'replay',
  } as const;
  try {
    return await writeOnce(database, key, ports, work);
  } catch (error) {
    if (error instanceof Fault && error.code === 'E_NOT_FOUND')
      return { task: null, status: 'deleted' } as unknown as T;
    throw error;
  }
}
