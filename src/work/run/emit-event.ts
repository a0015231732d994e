import type { WorkContext } from '../work-context.ts';
import { noteInLog } from './run-log.ts';
import { beginStep, type StepName } from './run-state.ts';
import type { WorkEvent } from './work-event.ts';

interface RunIds {
  readonly item: { readonly id: string };
  readonly jobId: string;
  readonly runId: string;
}

/** Events that are in the log of a run too. */
const NOTES: Partial<Readonly<Record<WorkEvent['type'], string>>> = {
  'run.executed': 'the agent finished',
  'tests.started': 'tests started',
  'tests.ended': 'tests',
  'run.waiting': 'waits for approval',
};

/** Events with which a step of a run begins. */
const BEGINS: Partial<Readonly<Record<WorkEvent['type'], StepName>>> = {
  'setup.started': 'setup',
  'run.executed': 'checks',
  'tests.started': 'tests',
};

/** Emits an event of a run. */
export function emitEvent(
  context: WorkContext,
  run: RunIds,
  type: WorkEvent['type'],
  message?: string,
): void {
  const note = NOTES[type];
  if (note !== undefined)
    noteInLog(
      context.home,
      run.runId,
      context.clock.now(),
      message === undefined ? note : type === 'tests.ended' ? `${note} ${message}` : `${note}: ${message}`,
    );
  const at = new Date(context.clock.now()).toISOString();
  const step = BEGINS[type];
  if (step !== undefined) beginStep(context.home, run.runId, { step, started_at: at });
  context.onEvent({
    type,
    at,
    job_id: run.jobId,
    item_id: run.item.id,
    run_id: run.runId,
    ...(message !== undefined && { message }),
  });
}
