import { Fault } from '../../base/fault.ts';
import type { Action, SupervisorInfo } from '../assessment.ts';
import { killTree } from './kill-tree.ts';
import type { ActionContext } from './live-process.ts';
import { pauseTree } from './pause-tree.ts';
import type { PinnedProcess } from './pinned-process.ts';
import { pinTree, type TreeGuard, type PinnedTree } from './pinned-tree.ts';
import { restartCommand } from './supervisor-command.ts';
import { throttleTree, type ThrottlePorts } from './throttle-tree.ts';

/** The result of an action. `blocked`: a guard rejected it. `failed`: it was attempted and did not succeed. */
export interface ActionOutcome {
  readonly outcome: 'success' | 'failed' | 'blocked';
  readonly reason: string;
  readonly timeToDeathMs?: number | null;
  readonly forced?: boolean;
  /** The members of the tree right before the action, with the memory of each. */
  readonly members?: readonly Member[];
  readonly throttle?: ReturnType<typeof throttleTree>;
  /** The missing permission, when that was the cause of the failure. */
  readonly escalation?: string;
}

export interface Member {
  readonly pid: number;
  readonly startTicks: number;
  readonly memoryBytes: number | null;
}

export interface ActionPorts extends ThrottlePorts {
  readonly graceMs: number;
  /** Runs a command of a supervisor and returns its exit code and stderr. */
  readonly runSupervisor: (argv: readonly string[]) => Promise<{ exitCode: number | null; stderr: string }>;
}

export interface ActionRequest {
  readonly action: Action;
  readonly target: PinnedProcess;
  readonly supervisor: SupervisorInfo;
  readonly guard: TreeGuard;
}

/** Executes one action on a pinned and checked process. The caller releases the target. */
export async function executeAction(
  { action, target, supervisor, guard }: ActionRequest,
  environment: ActionContext,
  ports: ActionPorts,
): Promise<ActionOutcome> {
  if (action === 'review' || action === 'spare') return { outcome: 'success', reason: NOTHING_TO_DO[action] };
  const tree = pinTree(environment, target, guard);
  try {
    const refusal = tree.refusal();
    if (refusal !== undefined) return { outcome: 'blocked', reason: refusal };
    const members = tree.members().map(({ pid, live }): Member => {
      return { pid, startTicks: live.startTicks, memoryBytes: environment.memoryBytes(pid) ?? null };
    });
    return { ...(await perform(action, tree, supervisor, environment, ports)), members };
  } catch (error) {
    if (error instanceof Fault && error.code === 'E_FORBIDDEN')
      return { outcome: 'failed', reason: error.message, escalation: error.hint ?? '' };
    throw error;
  } finally {
    // The caller releases the root.
    for (const process of tree.members()) if (process !== target) process.release();
  }
}

async function perform(
  action: Exclude<Action, 'review' | 'spare'>,
  tree: PinnedTree,
  supervisor: SupervisorInfo,
  environment: ActionContext,
  ports: ActionPorts,
): Promise<ActionOutcome> {
  switch (action) {
    case 'kill':
      return describeKill(await killTree(environment, tree, ports));
    case 'pause': {
      const running = await pauseTree(environment, tree);
      if (running.length === 0)
        return { outcome: 'success', reason: 'Stopped with SIGSTOP; SIGCONT resumes it.' };
      return { outcome: 'failed', reason: `Still running: ${running.join(', ')}.` };
    }
    case 'throttle': {
      const throttle = throttleTree(environment, tree, ports);
      return { outcome: 'success', reason: THROTTLED[throttle.method], throttle };
    }
    case 'restart':
      return restart(supervisor, ports);
  }
}

const NOTHING_TO_DO = {
  review: 'Needs review by a person; no action was taken.',
  spare: 'Spared; no action was taken.',
} as const;

const THROTTLED = {
  cgroup_v2: 'Limited to 25 % of one CPU by a cgroup.',
  cgroup_v1: 'Limited to 25 % of one CPU by a cgroup.',
  renice: 'Set to the lowest priority (nice 19); only root can undo that.',
} as const;

function describeKill({
  surviving,
  forced,
  timeToDeathMs,
  changed,
}: Awaited<ReturnType<typeof killTree>>): ActionOutcome {
  if (surviving.length === 0)
    return {
      outcome: 'success',
      reason: forced ? 'Killed with SIGKILL after the grace period.' : 'Exited after SIGTERM.',
      forced,
      timeToDeathMs,
    };
  const why = changed.length > 0 ? ` ${changed.join('; ')}.` : ' They may be blocked on a device.';
  return {
    outcome: 'failed',
    reason: `Still running: ${surviving.join(', ')}.${why}`,
    forced,
    timeToDeathMs,
  };
}

async function restart(supervisor: SupervisorInfo, { runSupervisor }: ActionPorts): Promise<ActionOutcome> {
  const argv = restartCommand(supervisor);
  if (argv === undefined)
    return { outcome: 'blocked', reason: 'No supervisor was found that could restart it.' };
  try {
    const { exitCode, stderr } = await runSupervisor(argv);
    if (exitCode === 0) return { outcome: 'success', reason: `Restarted by ${argv.join(' ')}.` };
    return {
      outcome: 'failed',
      reason: `${argv.join(' ')} exited with ${exitCode}: ${stderr.trim().slice(0, 300)}`,
    };
  } catch (error) {
    if (error instanceof Fault && error.code !== 'E_INTERRUPTED')
      return { outcome: 'failed', reason: error.message };
    throw error;
  }
}
