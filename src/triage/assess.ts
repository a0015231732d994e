import type { Lookup } from '../base/lookup.ts';
import { type Assessment, type Exemption, type Judgement } from './assessment.ts';
import { findBlastRadius } from './decision/blast-radius.ts';
import { decideAction } from './decision/decide-action.ts';
import { eBh } from './decision/e-bh.ts';
import { createExemption, type FindExemption } from './decision/exemption.ts';
import { cheapest, expectedLosses } from './decision/expected-loss.ts';
import {
  createFindAutomation,
  isAllowed,
  refusalOfAutomation,
  type FindAutomation,
  type History,
} from './decision/automation.ts';
import { findInfeasible, inUse } from './decision/feasibility.ts';
import { explainAction } from './decision/rationale.ts';
import { byUrgency, confidenceOf } from './decision/rank-assessments.ts';
import { findReversibility } from './decision/reversibility.ts';
import { findUncertainty } from './decision/uncertainty.ts';
import { valueProbes } from './decision/value-probes.ts';
import { cpuShare } from './features/activity.ts';
import type { Observation } from './features/observation.ts';
import { observe, type ObserveContext } from './features/observe.ts';
import { hasEnded, indexProcesses } from './features/process-index.ts';
import { findSupervisor } from './features/supervisor.ts';
import { isSuspect } from './features/suspect.ts';
import { findGenerations, type Generation } from './generations/find-generations.ts';
import { createConformal, type Label } from './inference/conformal.ts';
import { hazardAt } from './inference/hazard.ts';
import { eValue, inferPosterior, likeliest } from './inference/posterior.ts';
import { createLikelihood, type Likelihood } from './inference/likelihood-tables.ts';
import { createKindFinder } from './kinds/find-kind.ts';
import type { Parameters } from './parameters/model-parameters.ts';
import { identify } from './signatures/identify.ts';
import { createSignatureMatcher } from './signatures/match-signature.ts';
import { createFindFeedback, labelsOf, type FindFeedback } from './steering/find-feedback.ts';
import type { FeedbackEntry } from './steering/steering.ts';
import type { ProcessFacts, ProcessSnapshot } from './process-snapshot.ts';

export interface AssessOptions {
  /** The level of e-BH for this plan: the alpha it invests. */
  readonly alpha: number;
  /** When each process was first seen orphaned, by `pid:startTicks`, in epoch milliseconds. */
  readonly lostSince?: Lookup<number>;
  /** What earlier snapshots recorded about each process, by `pid:startTicks`. */
  readonly history?: Lookup<History>;
  /** The account whose processes may be acted on; by default the observer's. */
  readonly uid?: number;
  /** Processes that are assessed even if they are not suspects. */
  readonly pids?: readonly number[];
  readonly labels?: readonly Label[];
  /** What users said about commands. */
  readonly feedback?: readonly FeedbackEntry[];
  /** Processes that the caller excludes: a pid, `pid:start_id`, or a name. */
  readonly exclude?: readonly string[] | undefined;
  readonly canThrottleByCgroup?: boolean;
}

interface Context extends ObserveContext {
  readonly parameters: Parameters;
  readonly likelihood: Likelihood;
  readonly exemptionOf: FindExemption;
  readonly feedbackOn: FindFeedback;
  readonly conformalOf: ReturnType<typeof createConformal>;
  readonly options: AssessOptions;
  /** Assessments so far, by pid: the assessment of a process uses the assessment of the orphaned ancestor it runs under. */
  readonly cache: Map<number, Assessment>;
  readonly automationOf: FindAutomation;
  readonly generations: ReadonlyMap<number, Generation>;
}

/** Assesses a snapshot. Pure: the same snapshot, parameters and options give the same result, bit for bit. */
export function assess(snapshot: ProcessSnapshot, parameters: Parameters, options: AssessOptions): Judgement {
  const context = createContext(snapshot, parameters, options);
  const requested = new Set(options.pids);
  const exempt: Partial<Record<Exemption, number>> = {};
  let eligible = 0;
  const selected: ProcessFacts[] = [];
  for (const process of snapshot.processes) {
    const exemption = context.exemptionOf(process);
    if (exemption === null) eligible += 1;
    else exempt[exemption] = (exempt[exemption] ?? 0) + 1;
    const suspect = process.deep !== null && isSuspect(context.index, process, cpuShare(process, snapshot));
    if (suspect || requested.has(process.pid) || context.generations.has(process.pid)) selected.push(process);
  }
  const drafts = selected.map((process) => assessOnce(process, context));
  const isTested = ({ exemption, grounds, vetoes }: Assessment): boolean =>
    exemption === null && grounds?.found === true && vetoes?.length === 0;
  const tested = drafts.filter(isTested);
  const result = eBh(
    tested.map((draft) => draft.eValue),
    tested.length,
    options.alpha,
  );
  return {
    parametersVersion: parameters.version,
    scanned: snapshot.processes.length,
    eligible,
    exempt,
    eBh: result,
    assessments: drafts
      .map((draft) => ({
        ...draft,
        eBhRejected: isTested(draft) && result.threshold !== null && draft.eValue >= result.threshold,
      }))
      .toSorted(byUrgency),
  };
}

function createContext(snapshot: ProcessSnapshot, parameters: Parameters, options: AssessOptions): Context {
  const hidden = !['0', 'unknown'].includes(snapshot.visibility.hidepid);
  const base = {
    snapshot,
    parameters,
    options,
    index: indexProcesses(snapshot.processes, parameters.names, hidden, snapshot.observer.pid),
    match: createSignatureMatcher(parameters),
    lostSince: options.lostSince ?? new Map<string, number>(),
    likelihood: createLikelihood(parameters),
    exemptionOf: createExemption(snapshot, parameters, options),
    feedbackOn: createFindFeedback(options.feedback),
    conformalOf: createConformal(parameters, [
      ...(options.labels ?? []),
      ...labelsOf(options.feedback ?? []),
    ]),
    cache: new Map<number, Assessment>(),
  };
  const findKind = createKindFinder(parameters);
  const automationOf = createFindAutomation({
    ...base,
    findKind,
    history: options.history ?? new Map<string, History>(),
    observe: (process) => observe(process, base),
  });
  return { ...base, automationOf, generations: findGenerations(base, findKind) };
}

function assessOnce(process: ProcessFacts, context: Context): Assessment {
  let found = context.cache.get(process.pid);
  if (found === undefined) context.cache.set(process.pid, (found = assessProcess(process, context)));
  return found;
}

function assessProcess(process: ProcessFacts, context: Context): Assessment {
  const { snapshot, parameters, index, options } = context;
  const exemption = context.exemptionOf(process);
  const observation = observe(process, context);
  const automation = context.automationOf(process);
  const { ledger, logPosterior, posterior } = inferPosterior(
    observation,
    parameters,
    context.likelihood,
    isAllowed(automation),
  );
  const supervisor = findSupervisor(process, index, snapshot.observer);
  const circumstances = {
    observation,
    exemption,
    supervisor,
    descendantObjection: findDescendantObjection(process, context),
    ancestorObjection: findAncestorObjection(observation, context),
  };
  const conformal = context.conformalOf(posterior);
  const losses = expectedLosses(posterior, parameters);
  const infeasible = findInfeasible(circumstances, posterior, parameters, !conformal.blocksAutomation);
  const generation = context.generations.get(process.pid);
  const feedback = context.feedbackOn(process);
  const action = decideAction(cheapest(losses, infeasible), automation, {
    isListed: isOrphan(observation) || generation !== undefined || feedback?.verdict === 'gone',
    canReview: exemption === null,
  });
  const voi = valueProbes(posterior, circumstances, parameters);
  const blast = findBlastRadius(process, observation, supervisor, snapshot, index);
  return {
    ...identify(process, snapshot),
    observation,
    ledger,
    logPosterior,
    posterior,
    classification: likeliest(posterior),
    confidence: confidenceOf(posterior, parameters),
    matched_signature: observation.signature,
    novel_pattern: observation.signature === null,
    eValue: eValue(ledger, parameters),
    eBhRejected: false,
    expectedLoss: losses,
    infeasible,
    recommended_action: action,
    action_rationale: explainAction(action, {
      classification: likeliest(posterior),
      posterior,
      observation,
      infeasible,
      blast,
      refusal: refusalOfAutomation(automation),
      generation,
      exemption,
      feedback,
    }),
    exemption,
    conformal,
    hazard: hazardAt(observation.lostForMs, parameters),
    voi,
    blast_radius: blast,
    reversibility: findReversibility(process, action, supervisor, options.canThrottleByCgroup ?? false),
    supervisor,
    uncertainty: findUncertainty(action, { posterior, ledger, voi, circumstances }, parameters),
    tree: [...index.descendantsOf(process.pid), process].map(describeMember),
    grounds: automation.grounds,
    vetoes: automation.vetoes,
    ...(generation !== undefined && { superseded: generation }),
  };
}

function isOrphan({ lost, state }: Observation): boolean {
  return lost && state === 'alive';
}

function describeMember({ pid, startTicks, rssBytes }: ProcessFacts): Assessment['tree'][number] {
  return { pid, startTicks, memoryMb: rssBytes / 1024 / 1024 };
}

/** A kill ends the whole tree, so one descendant that is in use or exempt forbids it. */
function findDescendantObjection(process: ProcessFacts, context: Context): string | undefined {
  for (const child of context.index.descendantsOf(process.pid)) {
    if (hasEnded(child)) continue;
    const exemption = context.exemptionOf(child);
    // A child that just started does not forbid the kill: it belongs to its parent.
    if (exemption !== null && exemption !== 'young')
      return `its descendant ${child.pid} is exempt (${exemption})`;
    const seen = observe(child, context);
    const reason = seen.lost ? inUse(seen) : `it is not orphaned (${seen.anchor})`;
    if (reason !== undefined) return `its descendant ${child.pid} is in use: ${reason}`;
  }
  return undefined;
}

/** A process that runs under an orphaned ancestor is killed only if that ancestor would be. */
function findAncestorObjection({ stem }: Observation, context: Context): string | undefined {
  const top = stem === null ? undefined : context.index.get(stem.pid);
  if (top === undefined || assessOnce(top, context).recommended_action === 'kill') return undefined;
  return `it runs under ${top.pid}, for which no kill is recommended`;
}
