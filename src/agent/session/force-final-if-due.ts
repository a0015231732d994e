import type { Target } from '../session-config.ts';
import { estimateSpending } from './estimate-spending.ts';
import { cancellationReason } from './session-signals.ts';
import { forceFinal, type SessionScope } from './session-scope.ts';

/**
 * Forces the final turn when the session is stopped, or when another turn would leave no budget for it. The tool definitions of the next
 * request must be exposed to the context guard before, because they are a part of its estimate.
 */
export function forceFinalIfDue(scope: SessionScope, target: Target): void {
  const { stopSignal, budget } = scope;
  if (stopSignal.aborted) forceFinal(scope, cancellationReason(stopSignal));
  budget.expect(estimateSpending(scope, target));
  const cap = budget.finalTurnDue();
  if (cap !== undefined) forceFinal(scope, cap.reason, { limit: cap.limit, projected: cap.projected });
}
