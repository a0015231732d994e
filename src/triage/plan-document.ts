import type { Action, Assessment, Judgement } from './assessment.ts';
import type { Wealth } from './decision/alpha-investing.ts';
import { evaluateGates } from './gates/evaluate-gates.ts';
import { stops } from './gates/gate.ts';
import { NOTHING_SPENT } from './gates/spent.ts';
import type { ProcessSnapshot } from './process-snapshot.ts';

/** A preselected action. */
export interface PlannedAction {
  readonly target: { readonly pid: number; readonly start_id: string };
  readonly action: Action;
  /** A target inside the tree of another target gets an earlier stage. */
  readonly stage: number;
}

/** A plan as stored: the full assessment and the recommended actions. Output is derived from it and never changes it. */
export interface PlanDocument {
  readonly format: 'deed.triage.plan/1';
  readonly session_id: string;
  /** Set when the plan covers only the processes of one run. */
  readonly run?: string;
  /** Set when the plan covers only what listens on one port. */
  readonly port?: number;
  /** Processes that the caller excluded: a pid, `pid:start_id`, or a name. */
  readonly exclude?: readonly string[];
  readonly alpha: number;
  readonly thresholds: { readonly kill: number; readonly review: number };
  /** The alpha wealth before this plan. */
  readonly wealth: Wealth;
  /** Whether any process could have been rejected; otherwise the plan invested no alpha. */
  readonly bet_placed: boolean;
  readonly judgement: Judgement;
  readonly actions: readonly PlannedAction[];
  readonly host: Pick<
    ProcessSnapshot,
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

/** Actions that can be automated; the others need a person. */
const ACTING: ReadonlySet<Action> = new Set(['kill', 'pause', 'throttle', 'restart']);

/** Returns whether an assessment is preselected: an automatable action is recommended that passes its gates. */
export function isPreselected(
  assessment: Assessment,
  { thresholds, alpha }: Pick<PlanDocument, 'thresholds' | 'alpha'>,
): boolean {
  const { recommended_action: action } = assessment;
  if (!ACTING.has(action)) return false;
  const gates = evaluateGates(
    {
      action,
      planned: assessment,
      current: assessment,
      planAgeMs: 0,
      planCommand: '',
      identity: { kind: 'pinned' },
      started: false,
      protection: undefined,
      spent: NOTHING_SPENT,
      budget: { killsLeft: 1, alpha },
      thresholds,
    },
    { requireKnownSignature: false },
  );
  return !gates.some(stops);
}

/** Assigns stages to the selected actions: descendants come before the targets they run under. */
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
