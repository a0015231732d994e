import type { HazardResult } from '../assessment.ts';
import type { Parameters } from '../parameters/model-parameters.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/**
 * Returns the rate at which an orphaned process becomes useful again. It is piecewise constant and falls with time: a process that was not
 * used for a day is unlikely to be used again.
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

/** Returns the integral of the rate from the time a process was orphaned. */
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
