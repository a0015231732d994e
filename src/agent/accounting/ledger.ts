import type { AccountingEntry } from '../accounting-entry.ts';

/** What a session and its sub-agents have used so far. */
export interface LedgerTotals {
  readonly costUsd: number;
  readonly tokens: number;
  /** Of the last answered request, as a guess at what the next will take. */
  readonly lastCostUsd: number;
  readonly lastTokens: number;
}

/** Collects accounting entries in the order in which things ended, and keeps their sums. */
export class Ledger {
  readonly #entries: AccountingEntry[] = [];
  readonly #onEntry: (entry: AccountingEntry) => void;
  #totals: LedgerTotals = { costUsd: 0, tokens: 0, lastCostUsd: 0, lastTokens: 0 };

  constructor(onEntry: (entry: AccountingEntry) => void) {
    this.#onEntry = onEntry;
  }

  get entries(): readonly AccountingEntry[] {
    return this.#entries;
  }

  get totals(): LedgerTotals {
    return this.#totals;
  }

  add(entry: AccountingEntry): void {
    this.join([entry]);
    this.#onEntry(entry);
    if (entry.type !== 'llm' || entry.status !== 'ok') return;
    this.#totals = {
      ...this.#totals,
      lastCostUsd: entry.costUsd ?? 0,
      lastTokens: entry.tokens.totalTokens,
    };
  }

  /** Takes over the entries of a sub-agent, which told of them itself. */
  join(entries: readonly AccountingEntry[]): void {
    for (const entry of entries) {
      this.#entries.push(entry);
      if (entry.type !== 'llm') continue;
      this.#totals = {
        ...this.#totals,
        costUsd: this.#totals.costUsd + (entry.costUsd ?? 0),
        tokens: this.#totals.tokens + entry.tokens.totalTokens,
      };
    }
  }
}
