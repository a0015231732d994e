const SHORTEST_MS = 1000;
const LONGEST_MS = 60_000;

export interface FailedAttempt {
  readonly limited: boolean;
  readonly retryAfterMs: number | undefined;
  /** Whether the next attempt begins again with the first target. */
  readonly endsCycle: boolean;
}

/**
 * Decides how long to wait for providers that limit us. Another target may be free, so a wait comes only after a cycle in which
 * every attempt was refused for this reason: as long as they asked for, or twice as long as the last time. Turns do not matter: a provider
 * that limits us does not know of them.
 */
export class RateLimitWaits {
  #attempts = 0;
  #limited = 0;
  #askedMs: number | undefined;
  #backOffMs = SHORTEST_MS;

  /** Notes an answer: nobody limits us any more. */
  reset(): void {
    this.#beginCycle();
    this.#backOffMs = SHORTEST_MS;
  }

  /** Notes a failed attempt; returns what to wait before the next one. */
  afterFailure({ limited, retryAfterMs, endsCycle }: FailedAttempt): number {
    this.#attempts += 1;
    if (limited) this.#limited += 1;
    if (limited && retryAfterMs !== undefined) this.#askedMs = Math.max(this.#askedMs ?? 0, retryAfterMs);
    if (!endsCycle) return 0;
    const wait = this.#limited === this.#attempts ? this.#wait() : 0;
    this.#beginCycle();
    return wait;
  }

  #wait(): number {
    if (this.#askedMs !== undefined) return Math.min(Math.max(this.#askedMs, SHORTEST_MS), LONGEST_MS);
    const wait = this.#backOffMs;
    this.#backOffMs = Math.min(wait * 2, LONGEST_MS);
    return wait;
  }

  #beginCycle(): void {
    this.#attempts = 0;
    this.#limited = 0;
    this.#askedMs = undefined;
  }
}
