import { excerpt } from '../../base/text.ts';
import { assess } from '../assess.ts';
import type { Action, Assessment } from '../assessment.ts';
import { placeBet } from '../decision/alpha-investing.ts';
import type { ProcessSnapshot } from '../process-snapshot.ts';
import { readOrphanTimes } from '../session/orphan-times.ts';
import { currentBudget, scan } from './snapshot-machine.ts';
import type { TriageContext } from './triage-context.ts';

/** What is left running on a machine, in a few lines. */
export interface Survey {
  readonly scanned: number;
  /** Processes that a plan would end, pause, slow down or restart. */
  readonly left_running: number;
  readonly memory_mb: number;
  /** Processes that a person should look at. */
  readonly to_review: number;
  /** The processes with the most memory. */
  readonly worst: readonly SurveyedProcess[];
}

interface SurveyedProcess {
  readonly pid: number;
  readonly age_seconds: number;
  /** Secrets are masked. */
  readonly command: string;
  readonly memory_mb: number;
  readonly action: Action;
  readonly reason: string;
}

const MAX_WORST = 5;
const MAX_CHARACTERS = 160;

/** Assesses the machine like a plan. Contract: creates no triage session and places no bet, so it can be repeated often. */
export async function surveyMachine(context: TriageContext): Promise<Survey> {
  const { environment, parameters } = context;
  const { alpha } = placeBet(currentBudget(context).wealth);
  const snapshot = await scan(context, {});
  const { assessments, scanned } = assess(snapshot, parameters, {
    alpha,
    feedback: context.steering.feedback,
    ...readOrphanTimes(environment.dataRoot, snapshot),
  });
  const left = assessments.filter(
    ({ recommended_action: action }) => action !== 'spare' && action !== 'review',
  );
  const review = assessments.filter(({ recommended_action: action }) => action === 'review');
  const byMemory = left.toSorted((a, b) => b.blast_radius.memory_mb - a.blast_radius.memory_mb);
  return {
    scanned,
    left_running: left.length,
    memory_mb: Math.round(left.reduce((sum, { blast_radius: { memory_mb: mb } }) => sum + mb, 0)),
    to_review: review.length,
    worst: byMemory.slice(0, MAX_WORST).map((each) => describe(each, snapshot)),
  };
}

function describe(
  { pid, startTicks, cmd_short, blast_radius, recommended_action, action_rationale }: Assessment,
  { bootTimeSeconds, ticksPerSecond, takenAtMs }: ProcessSnapshot,
): SurveyedProcess {
  const startedAt = bootTimeSeconds + startTicks / ticksPerSecond;
  return {
    pid,
    age_seconds: Math.max(0, Math.round(takenAtMs / 1000 - startedAt)),
    command: excerpt(cmd_short, MAX_CHARACTERS),
    memory_mb: Math.round(blast_radius.memory_mb),
    action: recommended_action,
    reason: excerpt(action_rationale, MAX_CHARACTERS),
  };
}
