import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { damaged, unlessDamaged } from '../../base/damaged.ts';
import { Fault } from '../../base/fault.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { readStored, writeStored, type DocumentShape } from '../../system/stored-document.ts';
import { currentOwner, isOwnerAlive, OWNER, type OwnerProcess } from './owner.ts';
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
  /** The steps since the status became `running`, or since the promotion began; the last one is in progress. */
  readonly steps?: readonly RunStep[] | undefined;
}

/** `checks`: the agent has ended, and what it left and changed is checked before the tests. */
export const STEPS = ['setup', 'agent', 'checks', 'tests', 'promotion'] as const;
export type StepName = (typeof STEPS)[number];

export interface RunStep {
  readonly step: StepName;
  readonly started_at: string;
}

export const RUN_STEP = v.object({ step: v.picklist(STEPS), started_at: v.string() });

const RUN_STATE: DocumentShape<RunState> = {
  hint: () =>
    'Restore it from a backup. Without one, make sure that no process works on the run, then move its folder away; "deed work recover" undoes an open promotion without it.',
  schema: v.object({
    status: v.picklist(['running', 'ready', 'waiting', 'promoting']),
    owner: OWNER,
    steps: v.optional(v.array(RUN_STEP)),
  }),
};

export function writeRunState(home: string, runId: string, status: RunState['status'], step?: RunStep): void {
  const owner = currentOwner();
  const steps = step && addStep(readFirstState(home, runId), owner, step);
  markOpen(home, runId);
  ensurePrivateFolder(runFolder(home, runId));
  writeStored(statePath(home, runId), { status, owner, ...(steps && { steps }) } satisfies RunState);
}

/** Records which step of an open run begins, for those who watch it. */
export function beginStep(home: string, runId: string, step: RunStep): void {
  try {
    const state = readRunState(home, runId);
    if (state !== undefined && state.steps?.at(-1)?.step !== step.step)
      writeRunState(home, runId, state.status, step);
  } catch (error) {
    // A full disk must not end a run because of what is only shown; damage is reported by those who rely on the state.
    if (!(error instanceof Fault)) throw error;
  }
}

/** The steps of a run that a process works on; none for another run, and for a run whose state is damaged. */
export function readSteps(home: string, runId: string): readonly RunStep[] {
  const state = unlessDamaged(() => readRunState(home, runId));
  return state !== undefined && isOwnerAlive(state.owner) ? (state.steps ?? []) : [];
}

/** What a run does now; undefined when no process works on it. */
export function currentStep({ owner, steps }: RunState): StepName | undefined {
  return isOwnerAlive(owner) ? steps?.at(-1)?.step : undefined;
}

/** Adds a step. If the run has a new process, because the last one was killed, the steps of the killed process are dropped. */
function addStep(state: RunState | undefined, owner: OwnerProcess, step: RunStep): readonly RunStep[] {
  const isSame = state?.owner.pid === owner.pid && state.owner.startedAt === owner.startedAt;
  return [...(isSame ? (state.steps ?? []) : []), step];
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

/** The state of a run that has no draft: the draft is not written yet or already deleted, or the process was killed in between. */
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
