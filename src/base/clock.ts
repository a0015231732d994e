/** The time of day as the world has it; it may jump. */
export interface Clock {
  readonly now: () => number;
}

/** Renders epoch milliseconds as ISO 8601 UTC. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
