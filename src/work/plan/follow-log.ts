import { sleep } from '../../base/sleep.ts';
import { Fault } from '../../base/fault.ts';
import { describeLine } from '../executors/describe-line.ts';
import type { AgentConfig } from '../executors/agent-config.ts';
import { readReceipt } from '../receipt/read-receipt.ts';
import { createRunLogReader, hasStopped } from '../run/read-run-log.ts';
import { requireFolder } from '../run/run-folder.ts';
import type { LogLine } from '../run/run-log.ts';
import { readItemRecord } from '../run/run-records.ts';
import { readDraft } from '../run/stored-draft.ts';
import { isOwnerAlive } from '../run/owner.ts';
import { readJob } from './job.ts';

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
}

const POLL_INTERVAL_MS = 100;

/** Reads the log of a run, or of all runs of a job. */
export async function* followLog(
  home: string,
  id: string,
  options: FollowOptions,
): AsyncGenerator<RunLogLine> {
  const isJob = id.startsWith('job_');
  if (!isJob) requireFolder(home, 'run', id);
  const source = isJob ? jobSource(home, id) : runSource(home, id);
  const readers = new Map<string, RunReader>();
  const done = new Set<string>();
  for (;;) {
    // Before the lines are read: what is written until then is read too.
    const { runs, isOpen } = source();
    for (const runId of runs) {
      if (done.has(runId)) continue;
      const reader = readers.get(runId) ?? openReader(home, runId, options.raw);
      readers.set(runId, reader);
      const isEnded = hasStopped(home, runId);
      yield* reader.read();
      if (isEnded) done.add(runId);
    }
    if (!options.follow || !isOpen) return;
    await sleep(POLL_INTERVAL_MS);
    if (options.signal.aborted) throw new Fault('E_INTERRUPTED', 'Interrupted');
  }
}

interface Source {
  readonly runs: readonly string[];
  /** Whether more lines or runs may follow. */
  readonly isOpen: boolean;
}

function runSource(home: string, runId: string): () => Source {
  return () => ({ isOpen: !hasStopped(home, runId), runs: [runId] });
}

function jobSource(home: string, jobId: string): () => Source {
  return () => {
    const { attempts = {}, runs, owner, endedAt } = readJob(home, jobId);
    const all = [...Object.values(attempts).flat(), ...Object.values(runs)];
    return {
      // A detached job may not have started yet.
      isOpen: owner === undefined ? all.length === 0 && endedAt === undefined : isOwnerAlive(owner),
      runs: [...new Set(all)].sort(),
    };
  };
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
  const record = receipt && readItemRecord(home, receipt);
  return { item_id: record?.item.id ?? receipt?.work_item_id ?? '', kind: record?.agent?.kind };
}
