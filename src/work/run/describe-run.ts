import { join } from 'node:path';
import type { Receipt } from '../receipt/receipt.ts';
import type { RunDraft } from './run-draft.ts';
import { runFolder } from './run-folder.ts';
import { readRunState } from './run-state.ts';
import { isOwnerAlive } from './owner.ts';
import { readDocument } from './json-document.ts';

/** A run as one row of a list. */
export interface RunLine {
  readonly run_id: string;
  readonly job_id: string | null;
  readonly item_id: string;
  readonly agent_id: string;
  readonly phase: string;
  readonly status: string;
  readonly root: string;
  readonly at: string;
  readonly files: number;
}

/** Summarises a run, ended or not; undefined if it has not written anything yet. */
export function describeRun(home: string, runId: string): RunLine | undefined {
  const folder = runFolder(home, runId);
  const state = readRunState(home, runId);
  if (state !== undefined) {
    const draft = readDocument<RunDraft>(join(folder, 'draft.json'));
    if (draft === undefined) return undefined;
    const alive = state.status === 'waiting' || isOwnerAlive(state.owner);
    return {
      run_id: runId,
      job_id: draft.jobId,
      item_id: draft.item.id,
      agent_id: draft.item.agent_id,
      phase: phaseOf(draft),
      status: alive ? (state.status === 'waiting' ? 'waiting' : 'running') : 'lost',
      root: draft.root,
      at: draft.startedAt,
      files: draft.changes.length,
    };
  }
  const receipt = readDocument<Receipt>(join(folder, 'RECEIPT.json'));
  if (receipt === undefined) return undefined;
  const kept = readDocument<{ job_id: string }>(join(folder, 'item.json'));
  return {
    run_id: runId,
    job_id: kept?.job_id ?? null,
    item_id: receipt.work_item_id,
    agent_id: receipt.agent_id,
    phase: receipt.phase,
    status: receipt.status,
    root: receipt.root,
    at: receipt.timestamp_iso,
    files: receipt.artifacts.length,
  };
}

function phaseOf({ reconciliation, rollsBack }: RunDraft): string {
  if (rollsBack !== undefined) return 'rollback';
  return reconciliation === undefined ? 'tranche' : 'reconcile';
}
