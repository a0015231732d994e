import type { SessionConfig } from '../session-config.ts';
import type { SessionScope } from './session-scope.ts';

/** Warns when maxCostUsd cannot be enforced for a target without a price. */
export function warnAboutUnknownPrices({ limits, targets }: SessionConfig, log: SessionScope['log']): void {
  if (limits.maxCostUsd === undefined) return;
  for (const { provider, model, pricing } of targets) {
    if (pricing !== undefined) continue;
    log(
      'WRN',
      `maxCostUsd counts ${provider}/${model} only if the provider reports the cost: no price is configured.`,
    );
  }
}
