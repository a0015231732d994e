import type { Target } from '../session-config.ts';
import { expectedSpending } from './expected-spending.ts';
import { endReason } from './session-ends.ts';
import { forceFinal, type SessionScope } from './session-scope.ts';

/** Makes this turn the last when somebody asked for it, or when after another one there would be no room for the last below a cap. */
export function forceFinalIfDue(scope: SessionScope, target: Target): void {
  const { softEnd, budget } = scope;
  if (softEnd.aborted) forceFinal(scope, endReason(softEnd));
  budget.expect(expectedSpending(scope, target));
  const cap = budget.due();
  if (cap !== undefined) forceFinal(scope, cap.reason, { limit: cap.limit, projected: cap.projected });
}
