import type { Action, Assessment, Judgement } from './assessment.ts';
import type { Wealth } from './decision/alpha-investing.ts';
import type { Snapshot } from './process-snapshot.ts';

/** One action that is selected in advance. */
export interface PlannedAction {
  readonly target: { readonly pid: number; readonly start_id: string };
  readonly action: Action;
  /** Targets inside the tree of another one come in an earlier stage. */
  readonly stage: number;
}

/** A plan as it is kept: the whole judgement, and what is recommended of it. Views are made from it and never change it. */
export interface PlanDocument {
  readonly format: 'deed.triage.plan/1';
  readonly session_id: string;
  /** Set when it is about the processes of one run alone. */
  readonly run?: string;
  readonly alpha: number;
  readonly thresholds: { readonly kill: number; readonly review: number };
  /** What the bet was taken from. */
  readonly wealth: Wealth;
  /** Whether anybody was up for rejection, so that the bet was really made. */
  readonly bet_placed: boolean;
  readonly judgement: Judgement;
  readonly actions: readonly PlannedAction[];
  readonly host: Pick<
    Snapshot,
    | 'host'
    | 'bootId'
    | 'bootTimeSeconds'
    | 'ticksPerSecond'
    | 'takenAtMs'
    | 'windowMs'
    | 'memory'
    | 'visibility'
    | 'observer'
  >;
}

/** What may be done to a process by a machine; the rest waits for a person. */
const ACTING: ReadonlySet<Action> = new Set(['kill', 'pause', 'throttle', 'restart']);

/** Tells whether an assessment is selected in advance: acted on by recommendation, and nothing exempts it. */
export function isPreselected(assessment: Assessment): boolean {
  if (assessment.exemption !== null || !ACTING.has(assessment.recommended_action)) return false;
  return assessment.recommended_action !== 'kill' || assessment.eBhRejected;
}

/** Puts the selected actions into stages: what hangs on another target is dealt with before it. */
export function stageActions(assessments: readonly Assessment[]): readonly PlannedAction[] {
  const selected = new Map(assessments.map((assessment) => [keyOf(assessment), assessment]));
  const stages = new Map<string, number>();
  const stageOf = (assessment: Assessment): number => {
    const key = keyOf(assessment);
    const known = stages.get(key);
    if (known !== undefined) return known;
    stages.set(key, 1);
    const below = assessment.tree.flatMap((member) => {
      const inside = selected.get(keyOf(member));
      return inside === undefined || inside === assessment ? [] : [stageOf(inside)];
    });
    const stage = Math.max(0, ...below) + 1;
    stages.set(key, stage);
    return stage;
  };
  return assessments
    .map((assessment) => ({
      target: { pid: assessment.pid, start_id: assessment.start_id },
      action: assessment.recommended_action,
      stage: stageOf(assessment),
    }))
    .toSorted((a, b) => a.stage - b.stage);
}

function keyOf({ pid, startTicks }: { readonly pid: number; readonly startTicks: number }): string {
  return `${pid}:${startTicks}`;
}
