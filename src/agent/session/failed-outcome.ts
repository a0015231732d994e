import { errorMessage } from '../../base/error-message.ts';
import type { ErrorKind, FailureReason } from '../agent-result.ts';
import type { TurnsOutcome } from './turns-outcome.ts';
import { cancellationReason, type SessionSignals } from './session-signals.ts';
import { ToolStartError } from './start-tools.ts';

/** Converts an exception to the outcome of the session. */
export function outcomeFromError(error: unknown, signals: SessionSignals): TurnsOutcome {
  if (error instanceof ToolStartError) {
    return { reason: 'tools', error: error.message, errorKind: error.kind };
  }
  const message = errorMessage(error);
  if (!signals.abortSignal.aborted) return failure('internal', `Internal error: ${message}`, 'session');
  const reason = cancellationReason(signals.abortSignal);
  return failure(
    reason,
    `The session was cancelled during startup: ${message}`,
    reason === 'aborted' ? 'aborted' : 'session',
  );
}

/** Returns the outcome of a session without a report. */
export function failure(reason: FailureReason, error: string, errorKind: ErrorKind): TurnsOutcome {
  return { reason, error, errorKind };
}
