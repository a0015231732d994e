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
  /** How the agent reaches `vybe`. */
  readonly vybe?: string;
}

/** What a loop needs from the world. */
export interface LoopPorts extends StorePorts {
  /** Runs the agent on a prompt. Contract: returns when its whole process tree has ended; a timeout is an outcome, not a throw. */
  readonly runAgent: (prompt: string) => Promise<'exited' | 'failed' | 'timeout'>;
  readonly sleep: (ms: number) => Promise<void>;
  readonly stopped: () => boolean;
  readonly progress: (message: string) => void;
  /** Calls an action again and again until the returned function is called. */
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
 * Works through the queue: claim the next task, let the agent work, see what became of the task. It ends when nothing is ready, when
 * enough was done, or when too many tasks in a row failed.
 */
export async function runLoop(
  database: Database,
  options: LoopOptions,
  ports: LoopPorts,
): Promise<LoopResult> {
  const startedAt = ports.now();
  const results: LoopResult['results'][number][] = [];
  let failsInARow = 0;
  while (results.length < options.maxTasks && failsInARow < options.maxFails && !ports.stopped()) {
    if (results.length > 0) await ports.sleep(options.cooldownMs);
    const next = await takeNext(database, options, ports);
    if (next === undefined) break;
    ports.progress(`${next.task.id}: begun`);
    const began = ports.now();
    const status = await workOn(database, options, ports, next);
    failsInARow = status === 'completed' ? 0 : failsInARow + 1;
    ports.progress(`${next.task.id}: ${status}`);
    results.push({
      task_id: next.task.id,
      task_title: next.task.title,
      status,
      duration: Math.round((ports.now() - began) / 100) / 10,
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

async function takeNext(
  database: Database,
  options: LoopOptions,
  ports: LoopPorts,
): Promise<{ task: TaskRow; prompt: string } | undefined> {
  // Choosing and claiming are one transaction, so two loops never take the same task.
  const taken = await write(database, options, ports, async (scope) => {
    const question = { ...options, limit: 100, focus: undefined, budgetTokens: 1500 };
    const { focus_task_id } = await resumeWork(scope, question);
    if (focus_task_id === null) return { task: null };
    const row = await requireTask(scope.session, focus_task_id);
    if (row.status === 'blocked') return { task: null };
    const claimed = await claimTask(scope, row, {});
    await setFocus(scope, row.id, row.project_id);
    const { prompt } = await resumeWork(scope, { ...question, focus: row.id });
    return { task: claimed.row as unknown as JsonObject, prompt };
  });
  return taken.task === null ? undefined : { task: taken.task as unknown as TaskRow, prompt: taken.prompt };
}

async function workOn(
  database: Database,
  options: LoopOptions,
  ports: LoopPorts,
  { task, prompt }: { task: TaskRow; prompt: string },
): Promise<string> {
  const stop = ports.every(STORE_LIMITS.defaultLeaseMs / 3, () => {
    write(database, options, ports, async (scope) => {
      await renewClaim(scope, await requireTask(scope.session, task.id));
      return {};
    }).catch((error: unknown) => ports.progress(`the claim could not be renewed: ${String(error)}`));
  });
  const outcome = await ports.runAgent(prompt).finally(stop);
  const { status } = await write(database, options, ports, async (scope) => ({
    status: await settle(scope, task.id, outcome),
  }));
  return status;
}

/** What became of the task. One that the agent left open goes back to the queue; one that took too long is set aside. */
async function settle(scope: Scope, id: string, outcome: 'exited' | 'failed' | 'timeout'): Promise<string> {
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
  const key = { agent, requestId: undefined, command: 'loop', params: {}, otherPayload: 'tell' } as const;
  try {
    return await writeOnce(database, key, ports, work);
  } catch (error) {
    if (error instanceof Fault && error.code === 'E_NOT_FOUND')
      return { task: null, status: 'deleted' } as unknown as T;
    throw error;
  }
}
