import type { Action, BlastRadius, ByClass, ProcessClass } from '../assessment.ts';
import type { Anchor, Observation } from '../features/observation.ts';
import { citeOrigin } from '../features/cite-origin.ts';
import type { Infeasible } from './feasibility.ts';
import { percent } from './percent.ts';

const ANCHORS: Readonly<Record<Anchor, string>> = {
  run: 'its run goes on',
  agent: 'a living agent owns it',
  terminal: 'it sits on a live terminal',
  parent: 'its parents live',
  service: 'a supervisor keeps it',
  session: 'its parent is gone, though its session goes on',
  daemon: 'it is on its own, in a session of its own',
  orphan: 'its parent and its session are gone',
  ended_run: 'the run that started it has ended',
  ended_agent: 'the agent that started it is dead',
};

const CLASS_NAMES: Readonly<Record<ProcessClass, string>> = {
  useful: 'useful',
  useful_bad: 'useful but misbehaving',
  abandoned: 'abandoned',
  zombie: 'ended and not collected',
};

/** What the choice of an action rests on. */
export interface Grounds {
  readonly classification: ProcessClass;
  readonly posterior: ByClass;
  readonly observation: Observation;
  readonly infeasible: Infeasible;
  readonly blast: BlastRadius;
}

/** Says in one sentence why an action is recommended, from the facts that decided. */
export function explainAction(
  action: Action,
  { classification, posterior, observation, infeasible, blast }: Grounds,
): string {
  const verdict = `${percent(posterior[classification])} ${CLASS_NAMES[classification]}`;
  if (classification === 'zombie') return `${verdict}: only its parent can collect it`;
  const reasons = [...describeFacts(observation), citeOrigin(observation) ?? []].flat().join(', ');
  const refused =
    action === 'review' && infeasible.kill !== undefined ? `; not killed because ${infeasible.kill}` : '';
  return `${verdict}: ${reasons}; blast radius ${blast.risk_level}${refused}`;
}

/** The facts of an observation in plain words. */
export function describeFacts(seen: Observation): readonly string[] {
  return [
    ANCHORS[seen.anchor],
    ...(seen.streams === 'severed' ? ['nobody is at the other end of its streams'] : []),
    ...(seen.cwdDeleted ? ['its folder was deleted'] : []),
    ...(seen.network === 'serving' ? ['somebody is connected to it'] : []),
    ...(seen.writes === 'moving' ? ['it is writing'] : []),
    ...(seen.writes === 'logging' ? ['its log grows'] : []),
    ...(seen.writes === 'locked' ? ['it holds file locks'] : []),
    ...(seen.activity === 'spinning'
      ? [`it burns ${Math.round(seen.cpuPercent)} % of a processor for nothing`]
      : []),
    ...(seen.activity === 'stopped' ? ['it is stopped'] : []),
    ...(seen.signature === null ? [] : [`it is known as ${seen.signature}`]),
  ];
}
