/** The time of day as the world has it; it may jump. */
export interface Clock {
  readonly now: () => number;
}

/** Renders epoch milliseconds as ISO 8601 UTC. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/u;

/**
 * Reads ISO 8601: a day, or a time with its zone; nothing otherwise. The runtime alone would take "version 3" for a day in
 * March, and a time without a zone for another one on every machine.
 */
export function parseTime(text: string): number | undefined {
  const time = ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
