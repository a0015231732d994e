import { parseTime } from './clock.ts';
import { Fault } from './fault.ts';

/** Parses the time of a flag to milliseconds. Throws a Fault for a text that is not a time. */
export function requireTime(text: string, flag: string): number {
  const time = parseTime(text);
  if (time !== undefined) return time;
  throw new Fault('E_VALIDATION', `--${flag}: "${text.slice(0, 40)}" is not a time.`, {
    hint: 'Use ISO 8601, for example 2026-01-31T08:00:00Z.',
    details: { field: flag },
  });
}
