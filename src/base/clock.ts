/** The wall clock; it may jump. */
export interface Clock {
  readonly now: () => number;
}

/** Renders epoch milliseconds as ISO 8601 UTC. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/u;

/**
 * Parses ISO 8601: a date, or a time with its zone; undefined otherwise. `Date.parse` alone would accept "version 3" as a day
 * in March, and would read a time without a zone in the zone of the machine.
 */
export function parseTime(text: string): number | undefined {
  const time = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
