import type { BatchObservation, CaseObservation, Proposal } from './observation.ts';
import { AUTOMATIC } from './observe.ts';
import type { Family, Situation } from './situation.ts';

export interface FalseAction {
  readonly family: string;
  readonly id: string;
  readonly age: string;
  readonly why: string;
  readonly proposal: Proposal;
}

export interface FamilyScore {
  readonly family: string;
  readonly situations: number;
  readonly notRun: number;
  readonly kept: number;
  readonly keptCorrectly: number;
  readonly abandoned: number;
  readonly listed: number;
  readonly eligible: number;
  readonly ended: number;
}

export interface Missed {
  readonly id: string;
  readonly age: string;
  readonly actions: readonly (string | null)[];
}

export interface Score {
  readonly families: readonly FamilyScore[];
  readonly falseActions: readonly FalseAction[];
  readonly notListed: readonly Missed[];
  readonly notEnded: readonly Missed[];
}

interface Case {
  readonly family: string;
  readonly situation: Situation;
  readonly observed: CaseObservation;
}

/** Counts cases: one situation at one age. An abandoned one counts from three hours on: before, its owner may just be restarting. */
export function score(families: readonly Family[], batches: readonly BatchObservation[]): Score {
  const observed = new Map(batches.flatMap((batch) => batch.situations).map((one) => [one.id, one]));
  const cases = families.flatMap(({ name, situations }) =>
    situations.flatMap((situation) =>
      (observed.get(situation.id)?.cases ?? [])
        .filter(({ age }) => situation.label === 'keep' || age !== 'now')
        .map((one): Case => ({ family: name, situation, observed: one })),
    ),
  );
  const gone = cases.filter(({ situation }) => situation.label === 'abandoned');
  return {
    families: families.map((family) =>
      scoreFamily(
        family,
        cases.filter((one) => one.family === family.name),
      ),
    ),
    falseActions: cases.flatMap(falseActionsOf),
    notListed: gone.filter((one) => !isListed(one)).map(missedOf),
    notEnded: gone.filter((one) => one.situation.eligible && !isEnded(one)).map(missedOf),
  };
}

function scoreFamily({ name, situations }: Family, cases: readonly Case[]): FamilyScore {
  const kept = cases.filter(({ situation }) => situation.label === 'keep');
  const gone = cases.filter(({ situation }) => situation.label === 'abandoned');
  const eligible = gone.filter(({ situation }) => situation.eligible);
  const run = new Set(cases.map(({ situation }) => situation.id));
  return {
    family: name,
    situations: situations.length,
    notRun: situations.length - run.size,
    kept: kept.length,
    keptCorrectly: kept.filter((one) => falseActionsOf(one).length === 0).length,
    abandoned: gone.length,
    listed: gone.filter(isListed).length,
    eligible: eligible.length,
    ended: eligible.filter(isEnded).length,
  };
}

function falseActionsOf({ family, situation, observed }: Case): readonly FalseAction[] {
  if (situation.label === 'abandoned' && !situation.reviewOnly) return [];
  return observed.proposals
    .filter(({ action }) => AUTOMATIC.has(action))
    .map((proposal) => ({ family, id: situation.id, age: observed.age, why: situation.why, proposal }));
}

const isListed = ({ observed }: Case): boolean => observed.targets.every(({ action }) => action !== null);
const isEnded = ({ observed }: Case): boolean => observed.targets.every(({ action }) => action === 'kill');

function missedOf({ situation, observed }: Case): Missed {
  return { id: situation.id, age: observed.age, actions: observed.targets.map(({ action }) => action) };
}
