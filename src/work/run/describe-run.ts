import { Fault } from '../../base/fault.ts';
import { readReceipt } from '../receipt/read-receipt.ts';
import { searchChain } from '../receipt/receipt-chain.ts';
import type { Receipt } from '../receipt/receipt.ts';
import type { Revision } from './revision.ts';
import type { RunDraft } from './run-draft.ts';
import { chainPath } from './run-folder.ts';
import { readExecutedItem } from './run-records.ts';
import { currentStep, readRunState, type StepName } from './run-state.ts';
import { isOwnerAlive } from './owner.ts';
import { readDraft } from './stored-draft.ts';

/** A run as one row of a list. */
export interface RunRow {
  readonly run_id: string;
  readonly job_id: string | null;
  readonly item_id: string;
  readonly agent_id: string;
  readonly phase: string;
  readonly status: string;
  readonly root: string;
  readonly at: string;
  readonly files: number;
  /** What an open run does now, if a process works on it. */
  readonly step?: StepName;
  /** The number of the attempt, if an earlier run of the item was sent back. */
  readonly attempt?: number;
  /** The run that was sent back. */
  readonly revises?: string;
  /** What is wrong with a run of the status `damaged`. */
  readonly problem?: string;
}

/** Summarizes a run, ended or not; undefined if it has not written anything yet. Damage is E_DAMAGED. */
export function describeRun(home: string, runId: string): RunRow | undefined {
  const state = readRunState(home, runId);
  if (state === undefined) {
    const receipt = readReceipt(home, runId);
    return receipt && { ...lineOf(receipt), job_id: readExecutedItem(home, receipt)?.job_id ?? null };
  }
  const draft = readDraft(home, runId);
  if (draft === undefined) return undefined;
  const isHeld = state.status === 'waiting' || isOwnerAlive(state.owner);
  const step = currentStep(state);
  return {
    run_id: runId,
    job_id: draft.jobId,
    item_id: draft.item.id,
    agent_id: draft.item.agent_id,
    phase: phaseOf(draft),
    status:
      state.status === 'waiting' || state.status === 'ready' ? state.status : isHeld ? 'running' : 'lost',
    root: draft.root,
    at: draft.startedAt,
    files: draft.changes.length,
    ...(step && { step }),
    ...linkOf(draft.revision),
  };
}

/** Like `describeRun`, but for lists: a run whose files cannot be read is a row with the status `damaged` and what is known about it. */
export function describeRunOrDamage(home: string, runId: string): RunRow | undefined {
  try {
    return describeRun(home, runId);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const known = receiptIfIntact(home, runId);
    const line = known === undefined ? undefined : lineOf(known);
    return { ...(line ?? lineFromChain(home, runId)), status: 'damaged', problem: error.message };
  }
}

function lineOf(receipt: Receipt): RunRow {
  return {
    run_id: receipt.run_id,
    job_id: null,
    item_id: receipt.work_item_id,
    agent_id: receipt.agent_id,
    phase: receipt.phase,
    status: receipt.status,
    root: receipt.root,
    at: receipt.timestamp_iso,
    files: receipt.artifacts.length,
    ...linkOf(receipt.revision),
  };
}

function receiptIfIntact(home: string, runId: string): Receipt | undefined {
  try {
    return readReceipt(home, runId);
  } catch {
    return undefined;
  }
}

function lineFromChain(home: string, runId: string): RunRow {
  const [line] = searchChain(chainPath(home), 'run_id', runId);
  const { phase = '', root = '', timestamp_iso: at = '' } = line ?? {};
  const unknown = { job_id: null, item_id: '', agent_id: '', status: '', files: 0 };
  return { run_id: runId, ...unknown, phase, root, at };
}

/** The link to the run that was sent back. */
function linkOf(revision: Revision | undefined): Pick<RunRow, 'attempt' | 'revises'> {
  return revision === undefined ? {} : { attempt: revision.attempt, revises: revision.of };
}

function phaseOf({ reconciliation, rollsBack }: RunDraft): string {
  if (rollsBack !== undefined) return 'rollback';
  return reconciliation === undefined ? 'tranche' : 'reconcile';
}
