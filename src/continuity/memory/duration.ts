import { ownMember } from '../../base/own-member.ts';
import { Fault } from '../../base/fault.ts';

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Parses a duration such as `90s`, `24h`, `7d` or `2w` to milliseconds. */
export function parseDuration(text: string, field: string): number {
  const [, amount, unit] = /^(\d{1,6})([smhdw])$/u.exec(text) ?? [];
  const ms = Number(amount) * (ownMember(UNITS, unit ?? '') ?? Number.NaN);
  if (Number.isFinite(ms) && ms > 0) return ms;
  throw new Fault('E_VALIDATION', `"${text}" is not a duration.`, {
    hint: 'Use a number and one of s, m, h, d, w, for example 24h or 7d.',
    details: { field, value: text },
  });
}

/** Parses an ISO 8601 time with any offset and returns it in UTC. */
export function parseTimeArgument(text: string, field: string): string {
  const [, day = ''] = /^(\d{4}-\d{2}-\d{2})T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/u.exec(text) ?? [];
  const ms = isDay(day) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw new Fault('E_VALIDATION', `"${text}" is not a valid time.`, {
    hint: 'Use ISO 8601 with a time zone, for example 2026-01-31T12:00:00Z.',
    details: { field, value: text },
  });
}

/** A date such as 30 February is read as a day of the next month. */
function isDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}
