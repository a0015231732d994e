import type { SessionLimits } from '../session-config.ts';
import type { SessionPorts } from '../session-ports.ts';
import type { FailureReason } from '../agent-result.ts';
import { Ending, followAbort } from '../race-abort.ts';

/** How much of a time cap is kept for the final turn. */
const FINAL_TURN_SHARE = 0.2;
const FINAL_TURN_MOST_MS = 60_000;

export interface SessionEnds {
  readonly hardEnd: AbortSignal;
  readonly softEnd: AbortSignal;
  readonly dispose: () => void;
}

/**
 * Joins everything that can end a session: the caller's two signals, and the time cap, which asks for the end a little before it
 * enforces it.
 */
export function createSessionEnds(ports: SessionPorts, { maxDurationMs }: SessionLimits): SessionEnds {
  const hard = new AbortController();
  const soft = new AbortController();
  const timer = ports.timer ?? startTimer;
  const disposals = [
    follow(ports.signal, () => hard.abort(new SessionEnd('aborted', 'the session was aborted'))),
    follow(ports.stopSignal, () => soft.abort(new SessionEnd('stopped', 'the session was asked to stop'))),
  ];
  if (maxDurationMs !== undefined) {
    const end = new SessionEnd('max_duration', 'the time of the session is up');
    const reserveMs = Math.min(maxDurationMs * FINAL_TURN_SHARE, FINAL_TURN_MOST_MS);
    disposals.push(
      timer(maxDurationMs - reserveMs, () => soft.abort(end)),
      timer(maxDurationMs, () => hard.abort(end)),
    );
  }
  return {
    hardEnd: hard.signal,
    softEnd: soft.signal,
    dispose: () => {
      for (const dispose of disposals) dispose();
    },
  };
}

/** Why a session ends that was ended from outside. */
export function endReason(signal: AbortSignal): FailureReason {
  const { reason } = signal as { reason: unknown };
  return reason instanceof SessionEnd ? reason.failure : 'aborted';
}

/** What aborts the signals of a session; its message is what tools that it stops are said to have failed of. */
export class SessionEnd extends Ending {
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
  return signal === undefined ? () => {} : followAbort(signal, action);
}
