import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { limitJit } from '../../system/limit-jit.ts';
import { releaseMemory } from '../../system/release-memory.ts';
import type { Database } from '../database/database.ts';
import { firstRetry } from '../database/queries/claims.ts';
import { appendEvent } from '../events/event.ts';
import { writeOnce } from '../idempotency.ts';
import type { Scope, StorePorts } from '../scope.ts';
import { renewClaim } from '../tasks/claim-task.ts';
import { requireTask } from '../tasks/task.ts';
import { recordAttempt, returnTask, type AgentExit } from './attempt.ts';
import { claimNext, LOOP_LEASE_MS, type LoopClaim, type LoopRequest } from './claim-next.ts';

export interface LoopOptions extends LoopRequest {
  /** Distinguishes this loop from others with the same agent name. */
  readonly claimSession: string;
  readonly maxTasks: number;
  readonly maxFails: number;
  readonly cooldownMs: number;
}

/** The dependencies of a loop. */
export interface LoopPorts extends StorePorts {
  /**
   * Runs the agent on a prompt. Contract: returns when its whole process tree has exited; a timeout is returned. Throws if the program
   * cannot be started, or was interrupted.
   */
  readonly runAgent: (prompt: string) => Promise<AgentExit>;
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

/** The longest wait before the queue is read again: another agent may have added a task. */
const MAX_WAIT_MS = 30_000;

/**
 * Processes the queue: claims the next task, runs the agent, then checks the status of the task. Stops when no task is ready or will be
 * tried again, after `maxTasks` attempts, or after `maxFails` consecutive failures.
 */
export async function runLoop(
  database: Database,
  options: LoopOptions,
  ports: LoopPorts,
): Promise<LoopResult> {
  limitJit();
  const startedAt = ports.now();
  const results: LoopResult['results'][number][] = [];
  let consecutiveFailures = 0;
  while (results.length < options.maxTasks && consecutiveFailures < options.maxFails) {
    releaseMemory();
    if (results.length > 0) await ports.sleep(options.cooldownMs);
    const next = await waitForTask(database, options, ports);
    if (next === undefined) break;
    ports.progress(`${next.task.id}: started`);
    const taskStartedAt = ports.now();
    const status = await runTask(database, options, ports, next);
    if (status === 'interrupted') break;
    consecutiveFailures = status === 'completed' ? 0 : consecutiveFailures + 1;
    ports.progress(`${next.task.id}: ${status}`);
    results.push({
      task_id: next.task.id,
      task_title: next.task.title,
      status,
      duration: Math.round((ports.now() - taskStartedAt) / 100) / 10,
    });
  }
  const result = summarize(results, ports.now() - startedAt);
  await write(database, options, ports, async (scope) => {
    await appendEvent(scope, {
      kind: 'loop_finished',
      message: `${result.completed} of ${results.length} completed`,
      projectId: options.projectId ?? null,
      metadata: { ...result, results: results.map(({ task_id, status }) => ({ task_id, status })) },
    });
  });
  return result;
}

/** Claims the next task; if all tasks wait for their next attempt, waits for the first of them. */
async function waitForTask(
  database: Database,
  options: LoopOptions,
  ports: LoopPorts,
): Promise<LoopClaim | undefined> {
  while (!ports.stopped()) {
    const { claim, retryAt } = await write(database, options, ports, async (scope) => {
      const found = await claimNext(scope, options);
      return { claim: found, retryAt: found === undefined ? await retryTime(scope, options) : undefined };
    });
    if (claim !== undefined || retryAt === undefined) return claim;
    await ports.sleep(Math.min(MAX_WAIT_MS, Math.max(1, Date.parse(retryAt) - ports.now())));
  }
  return undefined;
}

async function retryTime(scope: Scope, { projectId }: LoopOptions): Promise<string | undefined> {
  const query = firstRetry(projectId !== undefined && 'project');
  const row = await scope.db.first(query, { at: scope.at, project_id: projectId ?? '' });
  return row?.retry_at ?? undefined;
}

async function runTask(
  database: Database,
  options: LoopOptions,
  ports: LoopPorts,
  { task, prompt }: LoopClaim,
): Promise<string> {
  const stop = ports.every(LOOP_LEASE_MS / 5, () => {
    write(database, options, ports, async (scope) =>
      renewClaim(scope, await requireTask(scope.db, task.id)),
    ).catch((error: unknown) => ports.progress(`${task.id}: cannot renew the claim: ${String(error)}`));
  });
  let exit: AgentExit;
  try {
    exit = await ports.runAgent(prompt).finally(stop);
  } catch (error) {
    await unlessDeleted(write(database, options, ports, (scope) => returnTask(scope, task)));
    if (error instanceof Fault && error.code === 'E_INTERRUPTED') return 'interrupted';
    throw error;
  }
  const recorded = write(database, options, ports, (scope) => recordAttempt(scope, task, exit, options));
  return (await unlessDeleted(recorded)) ?? 'deleted';
}

async function unlessDeleted<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Fault && error.code === 'E_NOT_FOUND') return undefined;
    throw error;
  }
}

function summarize(results: LoopResult['results'], durationMs: number): LoopResult {
  const completed = results.filter(({ status }) => status === 'completed').length;
  return {
    completed,
    failed: results.length - completed,
    total: results.length,
    duration_sec: Math.round(durationMs / 100) / 10,
    results,
  };
}

async function write<T>(
  database: Database,
  { agent, claimSession }: LoopOptions,
  ports: StorePorts,
  work: (scope: Scope) => Promise<T>,
): Promise<T> {
  const identity = { agent, claimSession, requestId: undefined, command: 'loop', params: {} };
  const key = { ...identity, onPayloadMismatch: 'replay' } as const;
  const { value } = await writeOnce(database, key, ports, async (scope) => ({
    value: (await work(scope)) as never,
  }));
  return value;
}
