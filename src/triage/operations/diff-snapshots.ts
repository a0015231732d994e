import type { Assessment } from '../assessment.ts';
import type { PlanDocument } from '../plan-document.ts';
import { toMegabytes } from '../present/present-results.ts';
import { startId, type ProcessFacts, type ProcessSnapshot } from '../process-snapshot.ts';
import type { ComparedProcess, DiffBody, ProcessChanges } from '../session-results.ts';
import type { PlanChanges } from '../triage-results.ts';

/** The maximum number of processes in each list. */
const LISTED = 200;
/** Smaller changes of memory are not reported. */
const NOTABLE_BYTES = 10 * 1024 * 1024;

/** Compares two snapshots of a machine: which processes appeared, ended and changed. */
export function diffSnapshots(before: ProcessSnapshot, after: ProcessSnapshot): DiffBody {
  // Zombies are still listed in /proc but count as ended.
  const earlier = before.processes.filter(isRunning);
  const later = after.processes.filter(isRunning);
  const known = new Map(earlier.map((process) => [keyOf(process), process]));
  const present = new Map(later.map((process) => [keyOf(process), process]));
  const sameBoot = before.bootId === after.bootId;
  const appeared = later.filter((process) => !sameBoot || !known.has(keyOf(process)));
  const ended = earlier.filter((process) => !sameBoot || !present.has(keyOf(process)));
  const changed = sameBoot
    ? later.flatMap((process) => {
        const previous = known.get(keyOf(process));
        return previous === undefined ? [] : describeChange(previous, process, after);
      })
    : [];
  return {
    same_boot: sameBoot,
    summary: {
      appeared: appeared.length,
      ended: ended.length,
      changed: changed.length,
      memory_available_change_mb: toMegabytes(after.memory.availableBytes - before.memory.availableBytes),
    },
    appeared: appeared.slice(0, LISTED).map((process) => describe(process, after)),
    ended: ended.slice(0, LISTED).map((process) => describe(process, before)),
    changed: changed.slice(0, LISTED),
  };
}

function describe(process: ProcessFacts, snapshot: ProcessSnapshot): ComparedProcess {
  return {
    pid: process.pid,
    start_id: startId(snapshot, process),
    ppid: process.ppid,
    name: process.comm,
    state: process.state,
    memory_mb: toMegabytes(process.rssBytes),
  };
}

function describeChange(
  before: ProcessFacts,
  after: ProcessFacts,
  snapshot: ProcessSnapshot,
): DiffBody['changed'] {
  const changes: { -readonly [Name in keyof ProcessChanges]: ProcessChanges[Name] } = {};
  if (before.ppid !== after.ppid) changes.ppid = [before.ppid, after.ppid];
  if (isStopped(before) !== isStopped(after)) changes.state = [before.state, after.state];
  if (before.comm !== after.comm) changes.name = [before.comm, after.comm];
  if (Math.abs(after.rssBytes - before.rssBytes) >= NOTABLE_BYTES)
    changes.memory_mb = [toMegabytes(before.rssBytes), toMegabytes(after.rssBytes)];
  if (Object.keys(changes).length === 0) return [];
  return [{ ...describe(after, snapshot), changes }];
}

/** Running and sleeping alternate all the time; only stopped is reported. */
function isStopped({ state }: ProcessFacts): boolean {
  return state === 'T';
}

function isRunning({ state }: ProcessFacts): boolean {
  return state !== 'Z' && state !== 'X';
}

function keyOf({ pid, startTicks }: { readonly pid: number; readonly startTicks: number }): string {
  return `${pid}:${startTicks}`;
}

/** The candidates of a plan that are new, or assessed differently, compared with an earlier plan. */
export interface PlanDifference {
  readonly isNews: (assessment: Assessment) => boolean;
  readonly summary: PlanChanges;
}

export function comparePlans(earlier: PlanDocument, later: PlanDocument): PlanDifference {
  const before = new Map(earlier.judgement.assessments.map((item) => [keyOf(item), item]));
  const after = new Set(later.judgement.assessments.map(keyOf));
  const verdict = (item: Assessment | undefined): string | undefined =>
    item && `${item.classification} ${item.recommended_action} ${item.confidence}`;
  const isNews = (item: Assessment): boolean => verdict(item) !== verdict(before.get(keyOf(item)));
  const candidates = later.judgement.assessments.filter(
    ({ recommended_action }) => recommended_action !== 'spare',
  );
  const isNew = (item: Assessment): boolean => !before.has(keyOf(item));
  return {
    isNews,
    summary: {
      session_id: earlier.session_id,
      new_candidates: candidates.filter(isNew).length,
      changed_candidates: candidates.filter((item) => !isNew(item) && isNews(item)).length,
      unchanged_candidates: candidates.filter((item) => !isNews(item)).length,
      gone: earlier.judgement.assessments
        .filter((item) => item.recommended_action !== 'spare' && !after.has(keyOf(item)))
        .map(({ pid, start_id }) => ({ pid, start_id })),
    },
  };
}
