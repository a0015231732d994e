import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Budget } from './budget.ts';

describe('a budget', () => {
  it('holds for any number of parallel sessions, in any order of requests', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 200 }),
        (cap, prices, schedule) => {
          const root = new Budget({ maxTotalTokens: cap });
          let spent = 0;
          const parent = Math.min(cap, 20);
          root.expect({ costUsd: 0, tokens: parent });
          const sessions = prices.map((tokens) => new Session(root, tokens, (taken) => (spent += taken)));
          for (const pick of schedule) sessions[pick % sessions.length]?.step();
          for (const session of sessions) while (!session.over) session.step();
          // The reserve for the caller's final turn is still available.
          expect(spent + parent).toBeLessThanOrEqual(cap);
        },
      ),
    );
  });

  it('without caps, also of the caller, never reaches a cap', () => {
    const child = new Budget({}, new Budget({}));
    child.expect({ costUsd: 1e9, tokens: 1e12 });
    expect([child.finalTurnDue(), child.callerCapReached()]).toEqual([undefined, undefined]);
  });

  it('tolerates rounding errors in sums of cents', () => {
    const budget = new Budget({ maxCostUsd: 0.3 });
    budget.expect({ costUsd: 0.1, tokens: 1 });
    budget.begin()({ costUsd: 0.1, tokens: 1 });
    expect(budget.finalTurnDue()).toBeUndefined();
    budget.begin()({ costUsd: 0.1, tokens: 1 });
    expect(budget.finalTurnDue()).toMatchObject({ reason: 'max_cost', limit: 0.3 });
  });
});

/** A sub-agent that never stops on its own; each request completes in the step after it was sent. */
class Session {
  over = false;
  readonly #budget: Budget;
  readonly #tokens: number;
  readonly #onSpent: (tokens: number) => void;
  #settle: ((taken: { costUsd: number; tokens: number }) => void) | undefined;
  #final = false;

  constructor(caller: Budget, tokens: number, onSpent: (tokens: number) => void) {
    this.#budget = new Budget({}, caller);
    this.#tokens = tokens;
    this.#onSpent = onSpent;
  }

  step(): void {
    if (this.over) return;
    if (this.#settle !== undefined) {
      this.#settle({ costUsd: 0, tokens: this.#tokens });
      this.#onSpent(this.#tokens);
      this.#settle = undefined;
      if (this.#final) this.#end();
      return;
    }
    this.#budget.expect({ costUsd: 0, tokens: this.#tokens });
    this.#final = this.#budget.finalTurnDue() !== undefined;
    if (this.#final && this.#budget.callerCapReached() !== undefined) return this.#end();
    this.#settle = this.#budget.begin();
    return undefined;
  }

  #end(): void {
    this.over = true;
    this.#budget.close();
  }
}
