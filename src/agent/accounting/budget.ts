/** The cost and tokens of requests. */
export interface Spending {
  readonly costUsd: number;
  readonly tokens: number;
}

export interface Caps {
  readonly maxCostUsd?: number;
  readonly maxTotalTokens?: number;
}

/** A reached cap with the projected spending. */
export interface CapReached {
  readonly reason: 'max_cost' | 'max_tokens';
  readonly limit: number;
  readonly projected: number;
}

const ZERO: Spending = { costUsd: 0, tokens: 0 };
/** Tolerance for floating-point sums. */
const ROUNDING = 1 + 1e-9;

/**
 * Keeps a session within its caps, and its sub-agents within the caps of all their callers. Sub-agents run in parallel while their caller
 * waits, so each cap is compared with the spending so far, the expected spending of pending requests, and a reserve for the final turn
 * of every open session.
 */
export class Budget {
  readonly #caps: Caps;
  readonly #caller: Budget | undefined;
  readonly #children = new Set<Budget>();
  #spent = ZERO;
  #pending = ZERO;
  #next = ZERO;

  constructor(caps: Caps, caller?: Budget) {
    this.#caps = caps;
    this.#caller = caller;
    if (caller !== undefined) caller.#children.add(this);
  }

  /** Sets the expected spending of the next request; the final turn is assumed to cost the same. */
  expect(next: Spending): void {
    this.#next = next;
  }

  /** Returns the cap that would not allow a final turn after one more request. */
  finalTurnDue(): CapReached | undefined {
    return this.#chain()
      .map((budget) => budget.#capExceededBy(this.#next))
      .find(Boolean);
  }

  /** Returns the cap of a caller that does not even allow the final turn of this session. */
  callerCapReached(): CapReached | undefined {
    return this.#chain()
      .slice(1)
      .map((budget) => budget.#capExceededBy(ZERO))
      .find(Boolean);
  }

  /** Returns the cap of this session that does not even allow the next request. */
  ownCapReached(): CapReached | undefined {
    return this.#capExceededBy(ZERO);
  }

  /** Marks a request as pending; the returned function records its actual spending. */
  begin(): (spent: Spending) => void {
    this.#pending = this.#next;
    return (spent) => {
      this.#pending = ZERO;
      // Used as the estimate for the next request; a refused request costs nothing and gives no estimate.
      if (spent.tokens > 0) this.#next = spent;
      for (const budget of this.#chain()) budget.#spent = sum(budget.#spent, spent);
    };
  }

  /** Counts what a resumed session has already spent. */
  restore(spent: Spending): void {
    this.#spent = spent;
  }

  /** Returns the cap of this session that is already reached, without any further request. */
  spentCap(): CapReached | undefined {
    const { costUsd, tokens } = this.#spent;
    const { maxCostUsd = Infinity, maxTotalTokens = Infinity } = this.#caps;
    if (costUsd >= maxCostUsd) return { reason: 'max_cost', limit: maxCostUsd, projected: costUsd };
    if (tokens >= maxTotalTokens) return { reason: 'max_tokens', limit: maxTotalTokens, projected: tokens };
    return undefined;
  }

  /** Releases the session's reserve when it ends. */
  close(): void {
    if (this.#caller !== undefined) this.#caller.#children.delete(this);
  }

  #capExceededBy(more: Spending): CapReached | undefined {
    const { costUsd, tokens } = [this.#spent, this.#reserved(), more].reduce(sum);
    const { maxCostUsd = Infinity, maxTotalTokens = Infinity } = this.#caps;
    if (costUsd > maxCostUsd * ROUNDING) return { reason: 'max_cost', limit: maxCostUsd, projected: costUsd };
    if (tokens > maxTotalTokens) return { reason: 'max_tokens', limit: maxTotalTokens, projected: tokens };
    return undefined;
  }

  /** Returns the reserve of this session and its sub-agents. */
  #reserved(): Spending {
    return [...this.#children]
      .map((budget) => budget.#reserved())
      .reduce(sum, sum(this.#pending, this.#next));
  }

  #chain(): readonly Budget[] {
    return this.#caller === undefined ? [this] : [this, ...this.#caller.#chain()];
  }
}

function sum(one: Spending, other: Spending): Spending {
  return { costUsd: one.costUsd + other.costUsd, tokens: one.tokens + other.tokens };
}
