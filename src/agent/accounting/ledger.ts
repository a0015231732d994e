import type { AccountingEntry } from '../accounting-entry.ts';
import type { Spending } from './budget.ts';

/** Collects accounting entries in the order in which things ended, and keeps their sums. */
export class Ledger {
  readonly #entries: AccountingEntry[] = [];
  readonly #onEntry: (entry: AccountingEntry) => void;
  #costUsd = 0;
  #last: Spending | undefined;

  constructor(onEntry: (entry: AccountingEntry) => void) {
    this.#onEntry = onEntry;
  }

  get entries(): readonly AccountingEntry[] {
    return this.#entries;
  }

  /** What the session and its sub-agents have cost so far. */
  get costUsd(): number {
    return this.#costUsd;
  }

  /** What the last answered request of the session itself took. */
  get last(): Spending | undefined {
    return this.#last;
  }

  add(entry: AccountingEntry): void {
    this.join([entry]);
    this.#onEntry(entry);
    if (entry.type !== 'llm' || entry.status !== 'ok') return;
    this.#last = { costUsd: entry.costUsd ?? 0, tokens: entry.tokens.totalTokens };
  }

  /** Takes over the entries of a sub-agent, which told of them itself. */
  join(entries: readonly AccountingEntry[]): void {
    for (const entry of entries) {
      this.#entries.push(entry);
      if (entry.type === 'llm') this.#costUsd += entry.costUsd ?? 0;
    }
  }
}
