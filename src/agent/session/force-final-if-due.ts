import { endReason } from './session-ends.ts';
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
