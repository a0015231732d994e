import type { AccountingEntry } from '../accounting-entry.ts';
import type { Spending } from './budget.ts';

/** Collects accounting entries in order of completion, and sums up their cost. */
export class Ledger {
  readonly #entries: AccountingEntry[] = [];
  readonly #onEntry: (entry: AccountingEntry) => void;
  #costUsd = 0;
  #tokens = 0;
  #last: Spending | undefined;
  #lastFailed: Spending | undefined;

  constructor(onEntry: (entry: AccountingEntry) => void) {
    this.#onEntry = onEntry;
  }

  get entries(): readonly AccountingEntry[] {
    return this.#entries;
  }

  /** The cost of the session and its sub-agents so far. */
  get costUsd(): number {
    return this.#costUsd;
  }

  /** The tokens of the session and its sub-agents so far. */
  get tokens(): number {
    return this.#tokens;
  }

  /** The spending of the last successful request of the session itself. */
  get last(): Spending | undefined {
    return this.#last;
  }

  /** The spending of the last request of the session itself, if it failed. */
  get lastFailed(): Spending | undefined {
    return this.#lastFailed;
  }

  /** Adds an entry of the session itself. */
  add(entry: AccountingEntry): void {
    this.merge([entry]);
    this.#onEntry(entry);
    this.#remember(entry);
  }

  /** Adds a request of a tool server; the next request of the session is not expected to be like it. */
  addAside(entry: AccountingEntry): void {
    this.merge([entry]);
    this.#onEntry(entry);
  }

  /** Adds the entries of a resumed session, which were already reported. Entries with `txnId` belong to the session itself, others to its sub-agents. */
  restore(entries: readonly AccountingEntry[], txnId: string): void {
    this.merge(entries);
    for (const entry of entries) if (entry.txnId === txnId) this.#remember(entry);
  }

  #remember(entry: AccountingEntry): void {
    if (entry.type !== 'llm') return;
    const spending = { costUsd: entry.costUsd ?? 0, tokens: entry.tokens.totalTokens };
    this.#lastFailed = entry.status === 'failed' ? spending : undefined;
    if (entry.status === 'ok') this.#last = spending;
  }

  /** Adds the entries of a sub-agent, which has already emitted their events. */
  merge(entries: readonly AccountingEntry[]): void {
    for (const entry of entries) {
      this.#entries.push(entry);
      if (entry.type !== 'llm') continue;
      this.#costUsd += entry.costUsd ?? 0;
      this.#tokens += entry.tokens.totalTokens;
    }
  }
}
