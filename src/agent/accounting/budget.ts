/** What requests take. */
export interface Spending {
  readonly costUsd: number;
  readonly tokens: number;
}

export interface Caps {
  readonly maxCostUsd?: number;
  readonly maxTotalTokens?: number;
}

/** Which cap is in the way, and what stands against it. */
export interface CapReached {
  readonly reason: 'max_cost' | 'max_tokens';
  readonly limit: number;
  readonly projected: number;
}

const NOTHING: Spending = { costUsd: 0, tokens: 0 };
/** Sums of cents are not exact. */
const ROUNDING = 1 + 1e-9;

/**
 * Holds a session within its caps, and its sub-agents within those of all their callers. Sub-agents spend while their caller waits for
 * them, several at a time; so against every cap stands what was taken, what requests under way are expected to take, and what each session
 * that is not over needs for its final turn: the answer at the cap.
 */
export class Budget {
  readonly #caps: Caps;
  readonly #caller: Budget | undefined;
  readonly #callees = new Set<Budget>();
  #spent = NOTHING;
  #underWay = NOTHING;
  #next = NOTHING;

  constructor(caps: Caps, caller?: Budget) {
    this.#caps = caps;
    this.#caller = caller;
    if (caller !== undefined) caller.#callees.add(this);
  }

  /** Says what the next request of this session will take; its final turn, as far as anybody knows, the same. */
  expect(next: Spending): void {
    this.#next = next;
  }

  /** The cap that would have no room for a final turn after another request. */
  due(): CapReached | undefined {
    return this.#chain()
      .map((budget) => budget.#passedBy(this.#next))
      .find(Boolean);
  }

  /** The cap of a caller that has no room even for the final turn of this session. */
  exhausted(): CapReached | undefined {
    return this.#chain()
      .slice(1)
      .map((budget) => budget.#passedBy(NOTHING))
      .find(Boolean);
  }

  /** Counts a request as under way; call what it returns with what it took. */
  begin(): (taken: Spending) => void {
    this.#underWay = this.#next;
    return (taken) => {
      this.#underWay = NOTHING;
      // The best guess at the next while nobody says more of it; a failure took nothing and tells nothing.
      if (taken.tokens > 0) this.#next = taken;
      for (const budget of this.#chain()) budget.#spent = sum(budget.#spent, taken);
    };
  }

  /** The session is over; nothing needs to be kept for it. */
  close(): void {
    if (this.#caller !== undefined) this.#caller.#callees.delete(this);
  }

  #passedBy(more: Spending): CapReached | undefined {
    const { costUsd, tokens } = [this.#spent, this.#kept(), more].reduce(sum);
    const { maxCostUsd = Infinity, maxTotalTokens = Infinity } = this.#caps;
    if (costUsd > maxCostUsd * ROUNDING) return { reason: 'max_cost', limit: maxCostUsd, projected: costUsd };
    if (tokens > maxTotalTokens) return { reason: 'max_tokens', limit: maxTotalTokens, projected: tokens };
    return undefined;
  }

  /** What this session and those below it still need. */
  #kept(): Spending {
    return [...this.#callees].map((budget) => budget.#kept()).reduce(sum, sum(this.#underWay, this.#next));
  }

  #chain(): readonly Budget[] {
    return this.#caller === undefined ? [this] : [this, ...this.#caller.#chain()];
  }
}

function sum(one: Spending, other: Spending): Spending {
  return { costUsd: one.costUsd + other.costUsd, tokens: one.tokens + other.tokens };
}
