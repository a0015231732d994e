const SHORTEST_MS = 1000;
const LONGEST_MS = 60_000;

export interface FailedAttempt {
  readonly limited: boolean;
  readonly retryAfterMs: number | undefined;
  /** Whether the next attempt starts again with the first target. */
  readonly endsCycle: boolean;
}

/**
 * Computes the backoff for rate limits. Another target may be available, so the session waits only after a cycle in which every attempt
 * was rate-limited: for the requested delay, or twice the previous backoff. The backoff continues across turns, because rate limits do.
 */
export class RateLimitBackoff {
  #attempts = 0;
  #limited = 0;
  #retryAfterMs: number | undefined;
  #backoffMs = SHORTEST_MS;

  /** Resets the backoff after a successful response. */
  reset(): void {
    this.#startCycle();
    this.#backoffMs = SHORTEST_MS;
  }

  /** Records a failed attempt and returns the wait before the next one. */
  afterFailure({ limited, retryAfterMs, endsCycle }: FailedAttempt): number {
    this.#attempts += 1;
    if (limited) this.#limited += 1;
    if (limited && retryAfterMs !== undefined)
      this.#retryAfterMs = Math.max(this.#retryAfterMs ?? 0, retryAfterMs);
    if (!endsCycle) return 0;
    const wait = this.#limited === this.#attempts ? this.#wait() : 0;
    this.#startCycle();
    return wait;
  }

  #wait(): number {
    if (this.#retryAfterMs !== undefined)
      return Math.min(Math.max(this.#retryAfterMs, SHORTEST_MS), LONGEST_MS);
    const wait = this.#backoffMs;
    this.#backoffMs = Math.min(wait * 2, LONGEST_MS);
    return wait;
  }

  #startCycle(): void {
    this.#attempts = 0;
    this.#limited = 0;
    this.#retryAfterMs = undefined;
  }
}
