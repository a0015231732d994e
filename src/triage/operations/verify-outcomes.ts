import { startId } from '../process-snapshot.ts';
import type { Assessment } from '../assessment.ts';
import { costOf, NOTHING_SPENT, spend } from '../gates/spent.ts';
import type { PlanDocument } from '../plan-document.ts';
import type { LiveProcesses } from '../proc/live-processes.ts';
import type { OutcomeEntry } from '../session/outcome-entry.ts';
import { findRespawn, type Respawn } from './find-respawn.ts';

export type VerifiedOutcome =
  | 'confirmed_dead'
  | 'confirmed_stopped'
  | 'still_running'
  | 'respawned'
  | 'pid_reused'
  | 'cascaded'
  | 'timeout';

/** The measured effect of an action. */
export interface Verification {
  readonly entry: OutcomeEntry;
  readonly outcome: VerifiedOutcome;
  readonly asIntended: boolean;
  readonly note: string;
  readonly freedBytes: number;
  readonly expectedMb: number;
  readonly survivors: readonly number[];
  readonly respawn: Respawn | undefined;
}

/** Checks the current state of every target of a triage session. */
export function verifyOutcomes(
  plan: PlanDocument,
  entries: readonly OutcomeEntry[],
  live: LiveProcesses,
  nowMs: number,
): readonly Verification[] {
  const byKey = new Map(plan.judgement.assessments.map((item) => [`${item.pid}:${item.startTicks}`, item]));
  let spent = NOTHING_SPENT;
  return entries.flatMap((entry) => {
    const assessment = byKey.get(`${entry.target.pid}:${entry.target.startTicks}`);
    if (assessment === undefined) return [];
    if (entry.outcome !== 'success' && entry.outcome !== 'failed')
      return wasCascaded(entry, assessment, entries) ? [cascaded(entry, assessment)] : [];
    // A tree whose members are targets too: each process is expected to free its memory once.
    const expectedMb = Math.round(costOf(assessment, spent).memoryMb * 10) / 10;
    spent = spend(assessment, spent, false);
    return [{ ...verifyOne(plan, entry, assessment, live, nowMs), ...(frees(entry) && { expectedMb }) }];
  });
}

function frees({ action }: OutcomeEntry): boolean {
  return action !== 'pause' && action !== 'throttle';
}

function verifyOne(
  plan: PlanDocument,
  entry: OutcomeEntry,
  assessment: Assessment,
  live: LiveProcesses,
  nowMs: number,
): Verification {
  const members = entry.members ?? [
    { pid: entry.target.pid, startTicks: entry.target.startTicks, memoryBytes: null },
  ];
  const gone = members.filter((member) => !isAlive(live, member));
  const survivors = members.filter((member) => !gone.includes(member)).map(({ pid }) => pid);
  const now = live.readProcess(entry.target.pid);
  const same = now?.startTicks === entry.target.startTicks ? now : undefined;
  const ended = same === undefined || same.state === 'Z' || same.state === 'X';
  const base = { entry, survivors, expectedMb: assessment.blast_radius.memory_mb, respawn: undefined };
  if (entry.action === 'pause') {
    const stopped = same?.state === 'T' || same?.state === 't';
    const outcome = ended ? 'confirmed_dead' : stopped ? 'confirmed_stopped' : 'still_running';
    return { ...base, outcome, asIntended: stopped, note: STATES[outcome], freedBytes: 0, expectedMb: 0 };
  }
  if (entry.action === 'throttle') {
    const outcome = ended ? 'confirmed_dead' : 'still_running';
    const note = ended ? STATES.confirmed_dead : 'It is throttled.';
    return { ...base, outcome, asIntended: !ended, note, freedBytes: 0, expectedMb: 0 };
  }
  if (!ended) {
    // State D: the process got SIGKILL, but a device blocks it for an unknown time.
    const outcome = entry.forced === true && same?.state === 'D' ? 'timeout' : 'still_running';
    return { ...base, outcome, asIntended: false, note: STATES[outcome], freedBytes: freed(gone, undefined) };
  }
  const respawn = findRespawn(plan, entry, assessment, live, nowMs);
  if (respawn !== undefined) {
    const note = `Restarted as ${respawn.pid} by ${respawn.by}.`;
    const asIntended = entry.action === 'restart';
    return { ...base, outcome: 'respawned', asIntended, note, freedBytes: freed(gone, respawn), respawn };
  }
  const reused = now !== undefined && same === undefined;
  const outcome = reused ? 'pid_reused' : 'confirmed_dead';
  const note = reused
    ? `It has exited; pid ${now.pid} now belongs to another process (${startId(plan.host, now)}).`
    : same === undefined
      ? STATES.confirmed_dead
      : 'It has exited; its parent has not reaped it yet.';
  const asIntended = survivors.length === 0;
  return {
    ...base,
    outcome,
    asIntended,
    note: asIntended ? note : `${note} Still running in its tree: ${survivors.join(', ')}.`,
    freedBytes: freed(gone, undefined),
  };
}

const STATES: Readonly<Record<'confirmed_dead' | 'confirmed_stopped' | 'still_running' | 'timeout', string>> =
  {
    confirmed_dead: 'It has exited.',
    confirmed_stopped: 'It is stopped.',
    still_running: 'It is still running.',
    timeout: 'It was killed but is blocked on a device.',
  };

function isAlive(live: LiveProcesses, { pid, startTicks }: { pid: number; startTicks: number }): boolean {
  const now = live.readProcess(pid);
  return now !== undefined && now.startTicks === startTicks && now.state !== 'Z' && now.state !== 'X';
}

/** Returns the memory of the exited members, minus the memory of a replacement. */
function freed(gone: readonly { memoryBytes: number | null }[], respawn: Respawn | undefined): number {
  const before = gone.reduce((sum, { memoryBytes }) => sum + (memoryBytes ?? 0), 0);
  return Math.max(0, before - (respawn?.memoryBytes ?? 0));
}

/** Returns whether the target had exited before its action because another action ended its tree, or a process it waited for. */
function wasCascaded(entry: OutcomeEntry, { tree }: Assessment, entries: readonly OutcomeEntry[]): boolean {
  const gone = entry.gates.some(({ gate, verdict }) => gate === 'identity_valid' && verdict === 'skip');
  const isIn = (members: readonly ProcessKey[], { pid, startTicks }: ProcessKey): boolean =>
    members.some((member) => member.pid === pid && member.startTicks === startTicks);
  return (
    gone &&
    entries.some(
      (other) =>
        other !== entry &&
        other.outcome === 'success' &&
        (isIn(other.members ?? [], entry.target) || isIn(tree, other.target)),
    )
  );
}

interface ProcessKey {
  readonly pid: number;
  readonly startTicks: number;
}

function cascaded(entry: OutcomeEntry, { blast_radius }: Assessment): Verification {
  return {
    entry,
    outcome: 'cascaded',
    asIntended: true,
    note: 'It exited together with its tree.',
    // Counted with that tree.
    freedBytes: 0,
    expectedMb: blast_radius.memory_mb,
    survivors: [],
    respawn: undefined,
  };
}
