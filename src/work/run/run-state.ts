import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { damaged } from '../../base/damaged.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { readStored, writeStored, type DocumentShape } from '../../system/stored-document.ts';
import { currentOwner, OWNER, type OwnerProcess } from './owner.ts';
import { markOpen, unmarkOpen } from './open-runs.ts';
import { runFolder } from './run-folder.ts';
import { draftPath } from './stored-draft.ts';

/**
 * The state of an active run; the file is deleted when the run ends. `ready`: the run succeeded, its result is stored, and it is
 * promoted when its level is complete.
 */
export interface RunState {
  readonly status: 'running' | 'ready' | 'waiting' | 'promoting';
  readonly owner: OwnerProcess;
}

const RUN_STATE: DocumentShape<RunState> = {
  hint: () =>
    'Restore it from a backup. Without one, make sure that no process works on the run, then move its folder away; "deed work recover" undoes an open promotion without it.',
  schema: v.object({
    status: v.picklist(['running', 'ready', 'waiting', 'promoting']),
    owner: OWNER,
  }),
};

export function writeRunState(home: string, runId: string, status: RunState['status']): void {
  markOpen(home, runId);
  ensurePrivateFolder(runFolder(home, runId));
  writeStored(statePath(home, runId), { status, owner: currentOwner() } satisfies RunState);
}

/**
 * Reads the state of a run; undefined if it has ended, which means that its draft was deleted, or wrote nothing yet. The state is
 * written before the draft and deleted after it, so a draft without a state is damage.
 */
export function readRunState(home: string, runId: string): RunState | undefined {
  if (!existsSync(draftPath(home, runId))) return undefined;
  const path = statePath(home, runId);
  const state = readStored(path, RUN_STATE);
  if (state !== undefined) return state;
  // The run may have ended in between.
  if (!existsSync(draftPath(home, runId))) return undefined;
  throw damaged(path, 'it is missing', RUN_STATE.hint(path));
}

/** The state of a run that has no draft: it is about to write the draft or about to end, or its process was killed meanwhile. */
export function readFirstState(home: string, runId: string): RunState | undefined {
  return readStored(statePath(home, runId), RUN_STATE);
}

/** Ends a run. The draft is deleted first: otherwise a process killed in between would leave the draft next to a receipt. */
export function clearRunState(home: string, runId: string): void {
  rmSync(draftPath(home, runId), { force: true });
  rmSync(statePath(home, runId), { force: true });
  unmarkOpen(home, runId);
}

function statePath(home: string, runId: string): string {
  return join(runFolder(home, runId), 'state.json');
}
