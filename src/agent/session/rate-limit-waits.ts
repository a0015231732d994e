const SHORTEST_MS = 1000;
const LONGEST_MS = 60_000;

/**
 * Decides how long to wait for providers that limit us. Another target may be free, so a wait comes only after a cycle in which
 * every target refused: as long as they asked for, or twice as long as the last time.
 */
export class RateLimitWaits {
  readonly #targetCount: number;
  #limitedInCycle = 0;
  #askedMs: number | undefined;
  #backOffMs = SHORTEST_MS;

  constructor(targetCount: number) {
    this.#targetCount = targetCount;
  }

  /** Notes how an attempt failed; returns what to wait before the next one. Attempts count from 1. */
  afterFailure(attempt: number, limited: boolean, retryAfterMs?: number): number {
    if (limited) {
      this.#limitedInCycle += 1;
      if (retryAfterMs !== undefined) this.#askedMs = Math.max(this.#askedMs ?? 0, retryAfterMs);
    }
    return attempt % this.#targetCount === 0 ? this.#endCycle() : 0;
  }

  #endCycle(): number {
    const allLimited = this.#limitedInCycle === this.#targetCount;
    const askedMs = this.#askedMs;
    this.#limitedInCycle = 0;
    this.#askedMs = undefined;
    if (!allLimited) return 0;
    if (askedMs !== undefined) return Math.min(Math.max(askedMs, SHORTEST_MS), LONGEST_MS);
    const wait = this.#backOffMs;
    this.#backOffMs = Math.min(wait * 2, LONGEST_MS);
    return wait;
  }
}
