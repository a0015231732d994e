import type { SessionLimits } from '../session-config.ts';
import type { SessionPorts } from '../session-ports.ts';
import type { FailureReason } from '../agent-result.ts';
import { onAbort } from '../../base/race-abort.ts';
import { CancellationError } from '../cancellation-error.ts';

/** The share of maxDurationMs that is reserved for the final turn. */
const FINAL_TURN_SHARE = 0.2;
const FINAL_TURN_MAX_MS = 60_000;

export interface SessionSignals {
  readonly abortSignal: AbortSignal;
  readonly stopSignal: AbortSignal;
  readonly dispose: () => void;
}

/**
 * Combines everything that can cancel a session: the caller's two signals, and the time limit, which first stops the session
 * gracefully and then aborts it. A resumed session has only the rest of its time.
 */
export function createSessionSignals(
  ports: SessionPorts,
  { maxDurationMs }: SessionLimits,
  elapsedMs = 0,
): SessionSignals {
  const hard = new AbortController();
  const soft = new AbortController();
  const timer = ports.timer ?? startTimer;
  const disposals = [
    follow(ports.signal, () => hard.abort(new SessionCancellation('aborted', 'the session was aborted'))),
    follow(ports.stopSignal, () => soft.abort(new SessionCancellation('stopped', 'the session was stopped'))),
  ];
  if (maxDurationMs !== undefined) {
    const end = new SessionCancellation('max_duration', 'the session reached its time limit');
    const reserveMs = Math.min(maxDurationMs * FINAL_TURN_SHARE, FINAL_TURN_MAX_MS);
    disposals.push(
      timer(Math.max(0, maxDurationMs - reserveMs - elapsedMs), () => soft.abort(end)),
      timer(Math.max(0, maxDurationMs - elapsedMs), () => hard.abort(end)),
    );
  }
  return {
    abortSignal: hard.signal,
    stopSignal: soft.signal,
    dispose: () => {
      for (const dispose of disposals) dispose();
    },
  };
}

/** Returns the failure reason of an aborted session signal. */
export function cancellationReason(signal: AbortSignal): FailureReason {
  const { reason } = signal as { reason: unknown };
  return reason instanceof SessionCancellation ? reason.failure : 'aborted';
}

/** The abort reason of a session's signals; cancelled tools fail with its message. */
export class SessionCancellation extends CancellationError {
  readonly failure: FailureReason;

  constructor(failure: FailureReason, message: string) {
    super(message);
    this.failure = failure;
  }
}

function startTimer(ms: number, action: () => void): () => void {
  const timer = setTimeout(action, ms);
  return () => clearTimeout(timer);
}

function follow(signal: AbortSignal | undefined, action: () => void): () => void {
  return signal === undefined ? () => {} : onAbort(signal, action);
}
