import { Fault } from '../../base/fault.ts';
import type { Action, SupervisorInfo } from '../assessment.ts';
import { killTree } from './kill-tree.ts';
import type { ActionContext } from './live-process.ts';
import { pauseTree } from './pause-tree.ts';
import type { PinnedProcess } from './pinned-process.ts';
import { pinTree, type Guard, type PinnedTree } from './pinned-tree.ts';
import { restartCommand } from './supervisor-command.ts';
import { throttleTree, type ThrottlePorts } from './throttle-tree.ts';

/** What came of an action. `blocked`: a guard forbade it. `failed`: it was tried and did not work. */
export interface ActionOutcome {
  readonly outcome: 'success' | 'failed' | 'blocked';
  readonly reason: string;
  readonly timeToDeathMs?: number | null;
  readonly forced?: boolean;
  /** The members of its tree as they were right before, with what each took of the memory. */
  readonly members?: readonly Member[];
  readonly throttle?: ReturnType<typeof throttleTree>;
  /** What the account lacks, when that was the trouble. */
  readonly escalation?: string;
}

export interface Member {
  readonly pid: number;
  readonly startTicks: number;
  readonly memoryBytes: number | null;
}

export interface ActionPorts extends ThrottlePorts {
  readonly graceMs: number;
  /** Runs a supervisor's own command; gives its exit code and what it said on standard error. */
  readonly runSupervisor: (argv: readonly string[]) => Promise<{ exitCode: number | null; stderr: string }>;
}

export interface ActionRequest {
  readonly action: Action;
  readonly target: PinnedProcess;
  readonly supervisor: SupervisorInfo;
  readonly guard: Guard;
}

/** Does one action to a process that is held and was checked. The hold stays the caller's. */
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
    // The root is the caller's to release.
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
      return sayKilled(await killTree(environment, tree, ports));
    case 'pause': {
      const running = await pauseTree(environment, tree);
      if (running.length === 0) return { outcome: 'success', reason: 'Stopped; SIGCONT lets it go on.' };
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
  review: 'Left for a person to look at; nothing was done.',
  spare: 'Left alone; nothing was done.',
} as const;

const THROTTLED = {
  cgroup_v2: 'Limited to a quarter of one processor by a control group.',
  cgroup_v1: 'Limited to a quarter of one processor by a control group.',
  renice: 'Given the lowest priority; an ordinary account cannot undo that.',
} as const;

function sayKilled({
  surviving,
  forced,
  timeToDeathMs,
  changed,
}: Awaited<ReturnType<typeof killTree>>): ActionOutcome {
  if (surviving.length === 0)
    return {
      outcome: 'success',
      reason: forced ? 'Ended by force after the grace.' : 'Ended when asked.',
      forced,
      timeToDeathMs,
    };
  const why = changed.length > 0 ? ` ${changed.join('; ')}.` : ' They may wait for a device.';
  return { outcome: 'failed', reason: `Still there: ${surviving.join(', ')}.${why}`, forced, timeToDeathMs };
}

async function restart(supervisor: SupervisorInfo, { runSupervisor }: ActionPorts): Promise<ActionOutcome> {
  const argv = restartCommand(supervisor);
  if (argv === undefined)
    return { outcome: 'blocked', reason: 'No supervisor that could restart it was found.' };
  try {
    const { exitCode, stderr } = await runSupervisor(argv);
    if (exitCode === 0) return { outcome: 'success', reason: `Restarted by ${argv.join(' ')}.` };
    return {
      outcome: 'failed',
      reason: `${argv.join(' ')} ended with ${exitCode}: ${stderr.trim().slice(0, 300)}`,
    };
  } catch (error) {
    if (error instanceof Fault && error.code !== 'E_INTERRUPTED')
      return { outcome: 'failed', reason: error.message };
    throw error;
  }
}
