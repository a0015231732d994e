import type { Action, BlastRadius, ByClass, ProcessClass } from '../assessment.ts';
import type { Anchor, Observation } from '../features/observation.ts';
import { citeOrigin } from '../features/cite-origin.ts';
import type { Infeasible } from './feasibility.ts';
import { percent } from './percent.ts';

const ANCHORS: Readonly<Record<Anchor, string>> = {
  run: 'its run is still active',
  agent: 'a running agent owns it',
  terminal: 'it is attached to an open terminal',
  parent: 'its parent processes are running',
  service: 'a supervisor manages it',
  session: 'its parent exited, its session leader is running',
  daemon: 'it is a daemon in its own session',
  orphan: 'its parent and its session leader exited',
  ended_run: 'the run that started it has ended',
  ended_agent: 'the agent that started it has exited',
};

const CLASS_NAMES: Readonly<Record<ProcessClass, string>> = {
  useful: 'useful',
  useful_bad: 'useful but misbehaving',
  abandoned: 'abandoned',
  zombie: 'exited and not reaped',
};

/** The facts that explain a recommended action. */
export interface RationaleFacts {
  readonly classification: ProcessClass;
  readonly posterior: ByClass;
  readonly observation: Observation;
  readonly infeasible: Infeasible;
  readonly blast: BlastRadius;
}

/** Explains in one sentence why an action is recommended. */
export function explainAction(
  action: Action,
  { classification, posterior, observation, infeasible, blast }: RationaleFacts,
): string {
  const verdict = `${percent(posterior[classification])} ${CLASS_NAMES[classification]}`;
  if (classification === 'zombie') return `${verdict}: only its parent can reap it`;
  const reasons = [...describeFacts(observation), citeOrigin(observation) ?? []].flat().join(', ');
  const objection =
    action === 'review' && infeasible.kill !== undefined ? `; not killed because ${infeasible.kill}` : '';
  return `${verdict}: ${reasons}; blast radius ${blast.risk_level}${objection}`;
}

/** Describes an observation as a list of phrases. */
export function describeFacts(seen: Observation): readonly string[] {
  return [
    ANCHORS[seen.anchor],
    ...(seen.streams === 'severed' ? ['its standard streams are disconnected'] : []),
    ...(seen.cwdDeleted ? ['its working directory was deleted'] : []),
    ...(seen.network === 'serving' ? ['it has client connections'] : []),
    ...(seen.writes === 'moving' ? ['it is writing to a file'] : []),
    ...(seen.writes === 'logging' ? ['its log grows'] : []),
    ...(seen.writes === 'locked' ? ['it holds file locks'] : []),
    ...(seen.activity === 'spinning' ? [`it uses ${Math.round(seen.cpuPercent)} % CPU without any I/O`] : []),
    ...(seen.activity === 'stopped' ? ['it is stopped'] : []),
    ...(seen.signature === null ? [] : [`it matches the signature ${seen.signature}`]),
  ];
}
