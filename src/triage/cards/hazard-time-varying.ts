import { percent } from '../decision/percent.ts';
import { cumulativeHazard } from '../inference/hazard.ts';
import type { Card, CardContext } from './card.ts';

const HOUR_MS = 3_600_000;

export function hazardTimeVarying({ assessment, parameters }: CardContext): Card {
  const { lostForMs, ratePerHour, survival, usefulAgainWithinHour } = assessment.hazard;
  return {
    id: 'hazard_time_varying',
    title: 'Time-Varying Hazard',
    equations: [
      'h(t) = λ_k for b_k ≤ t < b_{k+1}',
      'S(t) = exp(−∫₀ᵗ h)',
      'P(useful again in 1 h | lost for t) = 1 − S(t + 1)/S(t)',
    ],
    values: {
      lost_for_hours: lostForMs === null ? null : lostForMs / HOUR_MS,
      bounds_minutes: parameters.hazard.boundsMinutes,
      rates_per_hour: parameters.hazard.ratesPerHour,
      rate_per_hour: ratePerHour,
      cumulative_hazard: lostForMs === null ? 0 : cumulativeHazard(lostForMs, parameters),
      survival,
      useful_again_within_hour: usefulAgainWithinHour,
    },
    intuition:
      lostForMs === null
        ? 'It is not orphaned, so there is no time since the loss.'
        : `It was orphaned about ${describeTime(lostForMs)} ago; the probability that it is used again within an hour is ${percent(usefulAgainWithinHour)}.`,
  };
}

function describeTime(milliseconds: number): string {
  return milliseconds < HOUR_MS
    ? `${Math.round(milliseconds / 60_000)} minutes`
    : `${(milliseconds / HOUR_MS).toFixed(1)} hours`;
}
