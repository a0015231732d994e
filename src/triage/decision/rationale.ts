import type { Action, BlastRadius, ByClass, Exemption, ProcessClass, Superseded } from '../assessment.ts';
import type { Anchor, Observation } from '../features/observation.ts';
import { citeOrigin } from '../features/cite-origin.ts';
import { EXEMPT } from '../gates/evaluate-gates.ts';
import { describeFeedback } from '../steering/find-feedback.ts';
import type { FeedbackEntry } from '../steering/steering.ts';
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
  /** Why there is no automatic action; undefined when there may be one. */
  readonly refusal: string | undefined;
  readonly generation: Superseded | undefined;
  readonly exemption: Exemption | null;
  readonly feedback: FeedbackEntry | undefined;
}

/** Explains in one sentence why an action is recommended. */
export function explainAction(action: Action, facts: RationaleFacts): string {
  const { classification, posterior, observation, infeasible, blast, refusal, generation } = facts;
  const verdict = `${percent(posterior[classification])} ${CLASS_NAMES[classification]}`;
  if (classification === 'zombie') return `${verdict}: only its parent can reap it`;
  const reasons = [...describeFacts(observation), citeOrigin(observation) ?? []].flat().join(', ');
  if (generation !== undefined) return describeGeneration(generation);
  const reason = refusal ?? infeasible.kill;
  const objection = action === 'review' && reason !== undefined ? `; for review because ${reason}` : '';
  return `${verdict}: ${reasons}; blast radius ${blast.risk_level}${objection}${describeDecision(facts)}`;
}

/** What a user decided: protection, and feedback that the objection does not name already. */
function describeDecision({ exemption, feedback, refusal }: RationaleFacts): string {
  const said = feedback === undefined ? undefined : describeFeedback(feedback);
  return [
    ...(exemption === null || exemption === 'young' ? [] : [`; not acted on because ${EXEMPT[exemption]}`]),
    ...(said === undefined || said === refusal ? [] : [`; ${said}`]),
  ].join('');
}

function describeGeneration({ parent, newest, instances, memory_mb }: Superseded): string {
  const count = instances === 1 ? 'an older instance' : `one of ${instances} older instances`;
  return `${count} of the same command under ${parent}, which has started ${newest} since; together they use ${memory_mb} MB. Ask the owner of ${parent}; never terminated automatically`;
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
