import { isoTime } from '../../base/clock.ts';
import { executeAction, type ActionPorts } from '../actions/execute-action.ts';
import type { ActionContext, LiveProcess } from '../actions/live-process.ts';
import { pinExpected, type Pinning } from '../actions/pinned-process.ts';
import type { Assessment } from '../assessment.ts';
import type { ApplyPolicy } from '../gates/apply-policy.ts';
import { evaluateGates, type GateFacts } from '../gates/evaluate-gates.ts';
import { stops } from '../gates/gate.ts';
import type { PlanDocument, PlannedAction } from '../plan-document.ts';
import { outcomeKey, type OutcomeLog } from '../session/outcomes.ts';
import type { OutcomeEntry } from '../session/outcome-entry.ts';
import { NOTHING_SPENT, spend, type Spent } from '../gates/spent.ts';
import { identityMismatch } from './identity-mismatch.ts';
import { detailsOf, keptFrom, withWarnings } from './outcome-details.ts';
import { withLatest, type FindCurrent } from './reassess.ts';
import { requireAssessment } from './require-assessment.ts';

/** The inputs and dependencies of one apply. */
export interface ApplyRun {
  readonly plan: PlanDocument;
  readonly actions: readonly PlannedAction[];
  readonly policy: ApplyPolicy;
  readonly outcomes: OutcomeLog;
  readonly environment: ActionContext;
  readonly ports: ActionPorts;
  /** The assessments of the sample that this apply took. */
  readonly current: FindCurrent;
  /** Assesses one process right before its action. */
  readonly reassessOne: (action: PlannedAction) => Promise<Assessment | undefined>;
  readonly planAgeMs: number | null;
  readonly planCommand: string;
  /** Returns why a process must not be acted on in its current state. */
  readonly protectionOf: (live: LiveProcess) => string | undefined;
  /** Takes one kill from the daily budget; false when none is left. Contract: on disk when it returns. */
  readonly takeKill: () => Promise<boolean>;
  readonly killsLeft: () => number;
  /** Returns a hash of its command line. */
  readonly hashCommand: (pid: number) => string | undefined;
  readonly now: () => number;
  /** Apply stops before the next action when this time has passed. */
  readonly deadlineMs: number | undefined;
  /** Whether apply continues after an action that did not succeed. */
  readonly continueOnError: boolean;
  readonly warn: (message: string) => void;
}

/** `stopped`: an action did not succeed, and the caller asked to stop there. */
export type ApplyOutcome = 'completed' | 'stopped' | 'timeout' | 'interrupted';

/**
 * Executes the actions of a plan in order. Actions recorded as done are skipped; actions recorded only as started are checked again.
 * Each action is recorded before and after it is executed, so that a crash at any moment loses nothing and repeats nothing.
 */
export async function applyActions(
  run: ApplyRun,
): Promise<{ result: ApplyOutcome; entries: readonly OutcomeEntry[] }> {
  let spent = NOTHING_SPENT;
  const entries: OutcomeEntry[] = [];
  let started = false;
  let hasFailed = false;
  for (const action of run.actions) {
    if (hasFailed && !run.continueOnError) return { result: 'stopped', entries };
    const planned = requireAssessment(run.plan, action);
    const target = { ...action.target, startTicks: planned.startTicks };
    const earlier = run.outcomes.find(outcomeKey({ target, action: action.action }));
    if (earlier?.progress === 'done' && isFinal(earlier)) {
      entries.push(earlier);
      spent = count(earlier, planned, spent);
      started ||= earlier.outcome === 'success';
      continue;
    }
    const result = stopReason(run);
    if (result !== undefined) return { result, entries };
    const entry = await untilInterrupted(run, applyOne(run, action, planned, { spent, started, earlier }));
    if (entry === undefined) return { result: 'interrupted', entries };
    entries.push(entry);
    spent = count(entry, planned, spent);
    started ||= entry.outcome === 'success' || entry.outcome === 'failed';
    hasFailed ||= entry.outcome !== 'success';
  }
  return { result: 'completed', entries };
}

/** An interrupted action stays recorded as started. */
async function untilInterrupted<T>({ environment }: ApplyRun, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (environment.signal.aborted) return undefined;
    throw error;
  }
}

interface Progress {
  readonly spent: GateFacts['spent'];
  readonly started: boolean;
  /** The entry of an apply that was killed during this action. */
  readonly earlier: OutcomeEntry | undefined;
}

async function applyOne(
  run: ApplyRun,
  { action, target, stage }: PlannedAction,
  planned: Assessment,
  { spent, started, earlier }: Progress,
): Promise<OutcomeEntry> {
  const record = createRecorder(run, {
    target: { ...target, startTicks: planned.startTicks },
    action,
    stage,
  });
  const pinning = pinExpected(run.environment, planned);
  try {
    const latest = pinning.kind === 'pinned' ? await run.reassessOne({ action, target, stage }) : undefined;
    if (pinning.kind === 'gone' && earlier?.progress === 'started')
      return record({ ...keptFrom(earlier), ...EXITED_BEFORE, gates: earlier.gates });
    const current = withLatest(run.current(planned), latest);
    const gates = evaluateGates(
      { ...factsOf(run, action, planned, pinning, { spent, started }), current },
      run.policy,
    );
    const refusal = gates.find(stops);
    if (refusal !== undefined || pinning.kind !== 'pinned') {
      const { verdict = 'skip', reason = 'It has exited.' } = refusal ?? {};
      run.warn(`${target.pid}: ${action} was skipped. ${reason}`);
      if (verdict === 'abort') throw identityMismatch(run.plan, planned, pinning, reason);
      return record({
        progress: 'done',
        outcome: verdict === 'block' ? 'blocked' : 'skipped',
        reason,
        gates,
      });
    }
    if (action === 'kill' && earlier?.progress !== 'started' && !(await run.takeKill()))
      return record({ progress: 'done', outcome: 'skipped', reason: NO_KILLS_LEFT, gates });
    const commandMark = run.hashCommand(target.pid);
    const mark = commandMark === undefined ? {} : { commandMark };
    record({
      ...keptFrom(earlier),
      ...mark,
      progress: 'started',
      outcome: null,
      reason: 'Started.',
      gates,
    });
    for (const { verdict, reason } of gates) if (verdict === 'warn') run.warn(`${target.pid}: ${reason}`);
    const done = await executeAction(
      { action, target: pinning.process, supervisor: planned.supervisor, guard: run.protectionOf },
      run.environment,
      run.ports,
    );
    return record({
      ...mark,
      ...detailsOf(done),
      progress: 'done',
      outcome: done.outcome,
      reason: withWarnings(done, gates),
      gates,
    });
  } finally {
    if (pinning.kind === 'pinned') pinning.process.release();
  }
}

type EntryBase = Pick<OutcomeEntry, 'target' | 'action' | 'stage'>;

/** Creates a function that records the progress of one action, with its start and duration. */
function createRecorder(run: ApplyRun, base: EntryBase) {
  const startedAtMs = run.now();
  const startedAt = isoTime(startedAtMs);
  return (entry: Omit<OutcomeEntry, keyof EntryBase | 'startedAt' | 'durationMs'>): OutcomeEntry => {
    const durationMs = Math.max(0, Math.round(run.now() - startedAtMs));
    const recorded = { ...base, startedAt, ...entry, durationMs };
    run.outcomes.record(recorded);
    return recorded;
  };
}

const EXITED_BEFORE = {
  progress: 'done',
  outcome: 'success',
  reason: 'It exited during the interrupted apply.',
} as const;
const NO_KILLS_LEFT = 'Budget exhausted: no kills are left for the last 24 hours.';

/** Returns whether an entry is final: the action succeeded or its target has exited or changed. Other entries may be tried again. */
export function isFinal({ outcome, gates }: OutcomeEntry): boolean {
  return (
    outcome === 'success' ||
    gates.some(({ gate, verdict }) => gate === 'identity_valid' && verdict !== 'pass')
  );
}

/** Counts the actions that a resumed apply does not attempt again. */
export function countCompleted(entries: readonly OutcomeEntry[]): number {
  return entries.filter((entry) => entry.progress === 'done' && isFinal(entry)).length;
}

function count(entry: OutcomeEntry, planned: Assessment, spent: Spent): Spent {
  if (entry.outcome !== 'success' && entry.outcome !== 'failed') return spent;
  return spend(planned, spent, entry.action === 'kill');
}

function stopReason({ environment, deadlineMs }: ApplyRun): ApplyOutcome | undefined {
  if (environment.signal.aborted) return 'interrupted';
  return deadlineMs !== undefined && environment.monotonicMs() >= deadlineMs ? 'timeout' : undefined;
}

function factsOf(
  run: ApplyRun,
  action: PlannedAction['action'],
  planned: Assessment,
  pinning: Pinning,
  { spent, started }: Pick<Progress, 'spent' | 'started'>,
): Omit<GateFacts, 'current'> {
  return {
    action,
    planned,
    planAgeMs: run.planAgeMs,
    planCommand: run.planCommand,
    identity: pinning.kind === 'changed' ? pinning : { kind: pinning.kind },
    started,
    protection: pinning.kind === 'pinned' ? run.protectionOf(pinning.process.live) : undefined,
    spent,
    budget: { killsLeft: run.killsLeft(), alpha: run.plan.alpha },
    thresholds: run.plan.thresholds,
  };
}
