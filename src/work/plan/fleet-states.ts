import { join } from 'node:path';
import * as v from 'valibot';
import { int, record } from '../../base/schema.ts';
import { readStored, writeStored, type DocumentShape } from '../../system/stored-document.ts';
import { jobFolder } from '../run/run-folder.ts';
import type { RunResult } from '../run/run-result.ts';
import type { ItemState } from './item-state.ts';

/** What this host last read about an item that runs on another one. */
export interface FleetState {
  readonly step: string;
  readonly by: string;
  readonly attempt: number;
  /** When the step was written; missing in files of earlier versions. */
  readonly at?: string | undefined;
  /** The commit of the run, if it was delivered. */
  readonly commit?: string | undefined;
  readonly runId?: string | undefined;
  /** With paths of the tree of the job. */
  readonly result?: RunResult | undefined;
  readonly code?: string | undefined;
  /** Why its approval was not accepted. */
  readonly refused?: string | undefined;
}

type FleetStates = Readonly<Record<string, FleetState>>;

const STATES: DocumentShape<{ readonly items: FleetStates }> = {
  hint: (path) => `Remove ${path}: it is a copy, and "deed work status" reads it again from the remote.`,
  schema: v.object({
    items: record(
      v.object({
        step: v.string(),
        by: v.string(),
        attempt: int(),
        at: v.optional(v.string()),
        commit: v.optional(v.string()),
        runId: v.optional(v.string()),
        result: v.optional(v.looseObject({ status: v.string() })),
        code: v.optional(v.string()),
        refused: v.optional(v.string()),
      }),
    ),
  }),
};

export function readFleetStates(home: string, jobId: string): FleetStates {
  return readStored(pathOf(home, jobId), STATES)?.items ?? {};
}

export function writeFleetStates(home: string, jobId: string, items: FleetStates): void {
  writeStored(pathOf(home, jobId), { items });
}

/** The state of an item by its last known step. */
export function fleetItemState(home: string, jobId: string, itemId: string): ItemState {
  const state = readFleetStates(home, jobId)[itemId];
  const runId = state?.runId;
  switch (state?.step) {
    case 'claimed':
    case 'requeued':
      return { status: 'running' };
    case 'result':
      return { status: 'ready', runId };
    case 'waiting':
      return { status: 'waiting', runId, ...(state.refused && { refused: state.refused }) };
    case 'promoted':
    case 'ended':
      return state.result === undefined || runId === undefined
        ? { status: 'pending' }
        : {
            status: state.result.status,
            runId,
            result: state.result,
            ...(state.code && { code: state.code }),
          };
    default:
      return { status: 'pending' };
  }
}

function pathOf(home: string, jobId: string): string {
  return join(jobFolder(home, jobId), 'fleet.json');
}
