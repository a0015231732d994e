import type { HazardResult } from '../assessment.ts';
import type { Parameters } from '../parameters/model-parameters.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/**
 * The rate at which a process that was cut off is taken up again, constant between bounds and falling: what nobody came back for in a day
 * nobody comes back for.
 */
export function hazardAt(lostForMs: number | null, parameters: Pick<Parameters, 'hazard'>): HazardResult {
  if (lostForMs === null) return { lostForMs, ratePerHour: 0, survival: 1, usefulAgainWithinHour: 0 };
  const { boundsMinutes, ratesPerHour } = parameters.hazard;
  const position = boundsMinutes.findLastIndex((bound) => lostForMs >= bound * MINUTE_MS);
  const past = cumulativeHazard(lostForMs, parameters);
  const next = cumulativeHazard(lostForMs + HOUR_MS, parameters) - past;
  return {
    lostForMs,
    ratePerHour: ratesPerHour[Math.max(0, position)] ?? 0,
    survival: Math.exp(-past),
    usefulAgainWithinHour: 1 - Math.exp(-next),
  };
}

/** The rate added up from the loss to a moment. */
export function cumulativeHazard(untilMs: number, { hazard }: Pick<Parameters, 'hazard'>): number {
  return hazard.boundsMinutes.reduce((sum, bound, position) => {
    const from = bound * MINUTE_MS;
    const to = Math.min(
      untilMs,
      (hazard.boundsMinutes[position + 1] ?? Number.POSITIVE_INFINITY) * MINUTE_MS,
    );
    return to <= from ? sum : sum + ((to - from) / HOUR_MS) * (hazard.ratesPerHour[position] ?? 0);
  }, 0);
}
