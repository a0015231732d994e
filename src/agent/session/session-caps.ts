import type { FailureReason } from '../agent-result.ts';
import { Ending } from '../race-abort.ts';
import { forceFinal, type SessionScope } from './session-scope.ts';

/** Makes this turn the last when somebody asked for it or when another one like the last would pass a cap. */
export function forceFinalIfDue(scope: SessionScope): void {
  const { softEnd, ledger, config } = scope;
  if (softEnd.aborted) forceFinal(scope, endReason(softEnd));
  const { costUsd, tokens, lastCostUsd, lastTokens } = ledger.totals;
  const { maxCostUsd, maxTotalTokens } = config.limits;
  if (maxCostUsd !== undefined && costUsd + lastCostUsd >= maxCostUsd) {
    forceFinal(scope, 'max_cost', { costUsd, maxCostUsd });
  }
  if (maxTotalTokens !== undefined && tokens + lastTokens >= maxTotalTokens) {
    forceFinal(scope, 'max_tokens', { tokens, maxTotalTokens });
  }
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
