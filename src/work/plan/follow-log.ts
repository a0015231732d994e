import { sleep } from '../../base/sleep.ts';
import { isDamaged, unlessDamaged } from '../../base/damaged.ts';
import { Fault } from '../../base/fault.ts';
import { describeLine } from '../executors/describe-line.ts';
import type { AgentConfig } from '../executors/agent-config.ts';
import { readCoveredFile, readReceipt } from '../receipt/read-receipt.ts';
import { createRunLogReader, logPhase, type LogPhase } from '../run/read-run-log.ts';
import { requireFolder } from '../run/run-folder.ts';
import { RUN_LOG, type LogLine } from '../run/run-log.ts';
import { readExecutedItem } from '../run/run-records.ts';
import { readDraft } from '../run/stored-draft.ts';
import { isOwnerAlive } from '../run/owner.ts';
import { readJob, type Job } from './job.ts';

/** A line of the log of a run. */
export interface RunLogLine extends LogLine {
  readonly run_id: string;
  readonly item_id: string;
}

export interface FollowOptions {
  /** Continues until the agent and the tests have finished. */
  readonly follow: boolean;
  /** Returns the lines of the agent as it printed them, instead of describing its events. */
  readonly raw: boolean;
  readonly signal: AbortSignal;
  /** How long to wait for a run or job that has not started. */
  readonly startWaitMs?: number;
}

const POLL_INTERVAL_MS = 100;
/** A process that was killed before it wrote anything leaves a run or job that never starts. */
const START_WAIT_MS = 30_000;

/** Reads the log of a run, or of all runs of a job. */
export async function* followLog(
  home: string,
  id: string,
  options: FollowOptions,
): AsyncGenerator<RunLogLine> {
  const { follow, startWaitMs = START_WAIT_MS } = options;
  const isJob = id.startsWith('job_');
  if (!isJob) requireFolder(home, 'run', id);
  const source = isJob ? jobSource(home, id) : runSource(home, id);
  const readers = new Map<string, RunReader>();
  const done = new Set<string>();
  let damage: Fault | undefined;
  for (let waitedMs = 0; ; waitedMs += POLL_INTERVAL_MS) {
    // Before the lines are read: what is written until then is read too.
    const { runs, phase } = source();
    for (const runId of runs) {
      if (done.has(runId)) continue;
      const reader = readers.get(runId) ?? openReader(home, runId, options.raw);
      readers.set(runId, reader);
      const isEnded = logPhase(home, runId) === 'ended';
      yield* reader.read();
      if (!isEnded) continue;
      done.add(runId);
      damage ??= findDamage(home, runId);
    }
    // Thrown after all lines of this run and of the other runs are printed.
    if (damage !== undefined && (!follow || phase === 'ended')) throw damage;
    if (!follow || phase === 'ended') return;
    if (phase === 'starting' && waitedMs >= startWaitMs) throw notStarted(id, startWaitMs);
    await sleep(POLL_INTERVAL_MS);
    if (options.signal.aborted) throw new Fault('E_INTERRUPTED', 'Interrupted');
  }
}

/** A changed log may still parse; the receipt of an ended run covers it. A damaged receipt is reported by what verifies it. */
function findDamage(home: string, runId: string): Fault | undefined {
  const receipt = unlessDamaged(() => readReceipt(home, runId));
  try {
    if (receipt !== undefined) readCoveredFile(home, receipt, RUN_LOG);
    return undefined;
  } catch (error) {
    if (isDamaged(error)) return error;
    throw error;
  }
}

interface Source {
  readonly runs: readonly string[];
  /** Whether more lines or runs may follow. */
  readonly phase: LogPhase;
}

function runSource(home: string, runId: string): () => Source {
  return () => ({ phase: logPhase(home, runId), runs: [runId] });
}

function jobSource(home: string, jobId: string): () => Source {
  return () => {
    const job = readJob(home, jobId);
    const all = [...Object.values(job.attempts ?? {}).flat(), ...Object.values(job.runs)];
    return { phase: phaseOf(job), runs: [...new Set(all)].sort() };
  };
}

function phaseOf({ owner, runs, endedAt, cancelled }: Job): LogPhase {
  if (owner !== undefined) return isOwnerAlive(owner) ? 'open' : 'ended';
  // The process of a detached job writes its name first.
  const isNew = Object.keys(runs).length === 0 && endedAt === undefined && cancelled !== true;
  return isNew ? 'starting' : 'ended';
}

function notStarted(id: string, waitedMs: number): Fault {
  return new Fault('E_TIMEOUT', `${id} has not started within ${waitedMs / 1000} seconds.`, {
    hint: id.startsWith('job_')
      ? `Its process may have been killed. Start it: deed work run --resume ${id} --dry-run`
      : 'Its process may have been killed. "deed work list" shows the runs that have started.',
    details: { id },
  });
}

interface RunReader {
  readonly read: () => readonly RunLogLine[];
}

function openReader(home: string, runId: string, raw: boolean): RunReader {
  const reader = createRunLogReader(home, runId);
  let known: { readonly item_id: string; readonly kind: AgentConfig['kind'] | undefined } | undefined;
  return {
    read: () =>
      reader.read().flatMap((line) => {
        known ??= describeRunOf(home, runId);
        const text = raw || line.stream !== 'stdout' ? line.text : describeLine(known.kind, line.text);
        return text === undefined ? [] : [{ ...line, text, run_id: runId, item_id: known.item_id }];
      }),
  };
}

/** The item and the kind of agent of a run. */
function describeRunOf(
  home: string,
  runId: string,
): { readonly item_id: string; readonly kind: AgentConfig['kind'] | undefined } {
  const draft = readDraft(home, runId);
  if (draft !== undefined) return { item_id: draft.item.id, kind: draft.agent?.kind };
  const receipt = readReceipt(home, runId);
  const record = receipt && readExecutedItem(home, receipt);
  return { item_id: record?.item.id ?? receipt?.work_item_id ?? '', kind: record?.agent?.kind };
}
