import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Budget } from './budget.ts';

describe('a budget', () => {
  it('is kept by any number of sessions at once, in whatever order they go on', () => {
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
          // What is kept for the caller's own final turn is still there.
          expect(spent + parent).toBeLessThanOrEqual(cap);
        },
      ),
    );
  });

  it('of a session without caps below one without caps refuses nothing', () => {
    const child = new Budget({}, new Budget({}));
    child.expect({ costUsd: 1e9, tokens: 1e12 });
    expect([child.due(), child.exhausted()]).toEqual([undefined, undefined]);
  });

  it('takes sums of cents for what they are', () => {
    const budget = new Budget({ maxCostUsd: 0.3 });
    budget.expect({ costUsd: 0.1, tokens: 1 });
    budget.begin()({ costUsd: 0.1, tokens: 1 });
    expect(budget.due()).toBeUndefined();
    budget.begin()({ costUsd: 0.1, tokens: 1 });
    expect(budget.due()).toMatchObject({ reason: 'max_cost', limit: 0.3 });
  });
});

/** A sub-agent that would go on for ever; each of its requests is answered one step after it was made. */
class Session {
  over = false;
  readonly #budget: Budget;
  readonly #tokens: number;
  readonly #onTaken: (tokens: number) => void;
  #settle: ((taken: { costUsd: number; tokens: number }) => void) | undefined;
  #final = false;

  constructor(caller: Budget, tokens: number, onTaken: (tokens: number) => void) {
    this.#budget = new Budget({}, caller);
    this.#tokens = tokens;
    this.#onTaken = onTaken;
  }

  step(): void {
    if (this.over) return;
    if (this.#settle !== undefined) {
      this.#settle({ costUsd: 0, tokens: this.#tokens });
      this.#onTaken(this.#tokens);
      this.#settle = undefined;
      if (this.#final) this.#end();
      return;
    }
    this.#budget.expect({ costUsd: 0, tokens: this.#tokens });
    this.#final = this.#budget.due() !== undefined;
    if (this.#final && this.#budget.exhausted() !== undefined) return this.#end();
    this.#settle = this.#budget.begin();
    return undefined;
  }

  #end(): void {
    this.over = true;
    this.#budget.close();
  }
}
