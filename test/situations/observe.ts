import type { Age } from './fake-age.ts';
import { findProcesses, readTracked, type Found } from './find-processes.ts';
import type { CaseObservation, Proposal, SituationObservation } from './observation.ts';
import type { Situation } from './situation.ts';

/** The fields of a candidate that the contract of pt defines and that are used here. */
export interface Candidate {
  readonly pid: number;
  readonly cmd_full?: string;
  readonly cmd_short?: string;
  readonly classification: string;
  readonly posterior: Readonly<Record<string, number>>;
  readonly recommended_action: string;
  readonly action_rationale: string;
}

export interface Observed {
  readonly situations: readonly SituationObservation[];
  readonly runnerActions: readonly Proposal[];
}

export const AUTOMATIC: ReadonlySet<string> = new Set(['kill', 'pause', 'throttle', 'restart']);

interface Input {
  readonly folder: string;
  readonly age: Age;
  readonly candidates: readonly Candidate[];
  readonly situations: readonly Situation[];
  readonly problems: ReadonlyMap<string, string>;
}

/** Assigns the candidates of a plan to situations. */
export function observe({ folder, age, candidates, situations, problems }: Input): Observed {
  const processes = findProcesses(folder);
  const byPid = new Map(processes.map((one) => [one.pid, one]));
  const proposals = new Map(candidates.map((one) => [one.pid, proposalOf(one)]));
  const owned = (id: string): Proposal[] =>
    [...proposals.values()].filter(({ pid }) => byPid.get(pid)?.situation === id);
  const runnerActions = [...proposals.values()].filter(
    ({ pid, action }) => AUTOMATIC.has(action) && byPid.get(pid)?.situation === undefined && byPid.has(pid),
  );
  const results = situations.map(({ id }): SituationObservation => {
    const problem = problems.get(id) ?? problemOf(folder, id, byPid);
    if (problem !== undefined) return { id, problem, cases: [] };
    const targets = readTracked(folder, id).map(({ name, pid }) => ({
      name,
      pid,
      action: actionOn(pid, byPid, proposals),
    }));
    const observed: CaseObservation = { age, proposals: owned(id), targets };
    return { id, cases: [observed] };
  });
  return { situations: results, runnerActions };
}

function problemOf(folder: string, id: string, byPid: ReadonlyMap<number, Found>): string | undefined {
  const tracked = readTracked(folder, id);
  if (tracked.length === 0) return 'no judged process was recorded';
  const gone = tracked.filter(({ pid }) => ['Z', 'X', undefined].includes(byPid.get(pid)?.state));
  return gone.length === 0 ? undefined : `exited before the plan: ${gone.map(({ name }) => name).join(', ')}`;
}

/** A kill of an ancestor ends the tree, so a proposal for an ancestor in the same situation counts. */
function actionOn(
  pid: number,
  byPid: ReadonlyMap<number, Found>,
  proposals: ReadonlyMap<number, Proposal>,
): string | null {
  const situation = byPid.get(pid)?.situation;
  const found: string[] = [];
  for (
    let one = byPid.get(pid);
    one !== undefined && one.situation === situation;
    one = byPid.get(one.parent)
  ) {
    const action = proposals.get(one.pid)?.action;
    if (action !== undefined && action !== 'spare' && action !== 'keep') found.push(action);
  }
  return found.find((action) => AUTOMATIC.has(action)) ?? found[0] ?? null;
}

function proposalOf(candidate: Candidate): Proposal {
  const { pid, recommended_action: action, classification, posterior } = candidate;
  const odds = posterior.abandoned === undefined ? '' : ` ${posterior.abandoned.toPrecision(4)}`;
  return {
    pid,
    action,
    command: (candidate.cmd_full ?? candidate.cmd_short ?? '').slice(0, 160),
    evidence: `${classification}${odds}: ${candidate.action_rationale}`,
  };
}
