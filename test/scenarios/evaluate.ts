import { assess } from '../../src/triage/assess.ts';
import type { Action, ByClass, ProcessClass } from '../../src/triage/assessment.ts';
import type { Parameters } from '../../src/triage/parameters/model-parameters.ts';
import type { OpenWrite, ProcessSnapshot } from '../../src/triage/process-snapshot.ts';
import type { Labelled, Recording } from './corpus.ts';
import { countAllowed, fitCounts, type Example } from './fit-counts.ts';

/** The assessment of a process by a model fitted without its family. */
export interface Verdict extends Labelled {
  readonly posterior: ByClass;
  readonly classification: ProcessClass;
  readonly action: Action;
  readonly eValue: number;
  /** Whether its kind serves only its owner, so that it can be proposed for termination. */
  readonly isEligible: boolean;
  /** Whether e-BH rejects that it is in use. */
  readonly isRejected: boolean;
  readonly reason: string;
}

/** Assesses each family with parameters fitted on all the others. */
export function leaveOneFamilyOut(
  recording: Recording,
  parameters: Parameters,
  olderByMs = 0,
): readonly Verdict[] {
  const snapshot = age(recording.snapshot, olderByMs);
  const examples = observeAll({ ...recording, snapshot }, parameters);
  const old = observeAll({ ...recording, snapshot: age(recording.snapshot, TWO_DAYS_MS) }, parameters);
  const families = [...new Set(recording.labelled.map(({ family }) => family))];
  return families.flatMap((family) => {
    const fitted = fitWithout(family, examples, old, parameters);
    return assessLabelled(
      snapshot,
      recording.labelled.filter((one) => one.family === family),
      fitted,
    );
  });
}

/** Returns the observations of labelled processes. */
export function observeAll({ snapshot, labelled }: Recording, parameters: Parameters): readonly Example[] {
  const assessments = assessAll(snapshot, labelled, parameters);
  const seen = new Map(assessments.map((one) => [one.pid, one.observation]));
  const allowed = new Set(
    assessments
      .filter(({ grounds, vetoes }) => grounds?.found === true && vetoes?.length === 0)
      .map(({ pid }) => pid),
  );
  return labelled.flatMap(({ pid, truth, family, scenario }) => {
    const observation = seen.get(pid);
    return observation === undefined
      ? []
      : [{ observation, truth, family, scenario, isAllowed: allowed.has(pid) }];
  });
}

/** Fits parameters without a family, including the reference scores. */
function fitWithout(
  family: string,
  examples: readonly Example[],
  /** The processes of `examples` at an age at which triage may act on them. */
  old: readonly Example[],
  parameters: Parameters,
): Parameters {
  return {
    ...parameters,
    counts: fitCounts(examples.filter((example) => example.family !== family)),
    grounds: {
      ...parameters.grounds,
      counts: countAllowed(old.filter((example) => example.family !== family)),
    },
    fdr: { ...parameters.fdr, nullMean: 1 },
    reference: { useful: [], useful_bad: [], abandoned: [], zombie: [] },
  };
}

function assessLabelled(
  snapshot: ProcessSnapshot,
  labelled: readonly Labelled[],
  parameters: Parameters,
): Verdict[] {
  const byPid = new Map(assessAll(snapshot, labelled, parameters).map((one) => [one.pid, one]));
  return labelled.map((one) => {
    const found = byPid.get(one.pid);
    if (found === undefined) throw new Error(`"${one.scenario}", ${one.label}: exited before the snapshot`);
    const { posterior, classification, recommended_action: action, eValue } = found;
    const isEligible = found.grounds?.found === true;
    return {
      ...one,
      posterior,
      classification,
      action,
      eValue,
      isEligible,
      isRejected: found.eBhRejected,
      reason: found.action_rationale,
    };
  });
}

function assessAll(snapshot: ProcessSnapshot, labelled: readonly Labelled[], parameters: Parameters) {
  const pids = labelled.map(({ pid }) => pid);
  return assess(snapshot, parameters, { alpha: parameters.fdr.alpha, pids }).assessments;
}

export const HOUR_MS = 3_600_000;
export const TWO_DAYS_MS = 48 * HOUR_MS;

/** A file written this recently counts as being written all the time. */
const RECENT_WRITE_MS = 5000;

/** Ages a snapshot: the time passes, files that are being written are still written, and nothing else changes. */
export function age(snapshot: ProcessSnapshot, olderByMs: number): ProcessSnapshot {
  const later = (write: OpenWrite): OpenWrite =>
    write.writtenAtMs !== undefined && snapshot.takenAtMs - write.writtenAtMs < RECENT_WRITE_MS
      ? { ...write, writtenAtMs: write.writtenAtMs + olderByMs, changedAtMs: write.writtenAtMs + olderByMs }
      : write;
  const processes = snapshot.processes.map((process) =>
    process.deep === null
      ? process
      : { ...process, deep: { ...process.deep, writes: process.deep.writes.map(later) } },
  );
  return { ...snapshot, takenAtMs: snapshot.takenAtMs + olderByMs, processes };
}
