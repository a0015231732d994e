/** The states that colours, glyphs and words are defined for. */
export type State = 'queued' | 'running' | 'waits' | 'done' | 'failed' | 'rolled-back';

interface Shown {
  readonly state: State;
  readonly label: string;
}

/** How a status of a run, an item or a job is shown. */
const SHOWN: ReadonlyMap<string, Shown> = new Map(
  Object.entries<Shown>({
    pending: { state: 'queued', label: 'Queued' },
    ready: { state: 'queued', label: 'Ready to promote' },
    running: { state: 'running', label: 'Running' },
    waiting: { state: 'waits', label: 'Waits for you' },
    success: { state: 'done', label: 'Done' },
    succeeded: { state: 'done', label: 'Done' },
    failure: { state: 'failed', label: 'Failed' },
    failed: { state: 'failed', label: 'Failed' },
    denied: { state: 'failed', label: 'Denied' },
    timeout: { state: 'failed', label: 'Timed out' },
    interrupted: { state: 'failed', label: 'Interrupted' },
    lost: { state: 'failed', label: 'Interrupted' },
    damaged: { state: 'failed', label: 'Damaged' },
    cancelled: { state: 'rolled-back', label: 'Cancelled' },
    rolled_back: { state: 'rolled-back', label: 'Rolled back' },
  }),
);

export function shownState(status: string): Shown {
  return SHOWN.get(status) ?? { state: 'queued', label: status };
}

const OPEN: ReadonlySet<string> = new Set(['running', 'ready', 'waiting']);

/** Like `shownState`, for a run whose current step may be known. A run with the status `ready` is shown as running while it is promoted. */
export function shownStep(status: string, step: string | undefined): Shown {
  if (step === undefined || !OPEN.has(status)) return shownState(status);
  return { state: 'running', label: `Running: ${step}` };
}

export const STATES: readonly State[] = ['done', 'running', 'waits', 'failed', 'queued', 'rolled-back'];
