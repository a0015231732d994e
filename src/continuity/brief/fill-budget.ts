/** An entry that may be included in a brief. */
export interface Candidate {
  readonly section: string;
  readonly item: unknown;
  readonly tokens: number;
}

export interface FilledBudget {
  readonly chosen: <T>(section: string) => T[];
  readonly tokens: number;
  readonly omitted: number;
}

/** Selects candidates in order while they fit; one that is too large is skipped, and smaller ones after it can still be selected. */
export function fillBudget(candidates: readonly Candidate[], budgetTokens: number): FilledBudget {
  const sections = new Map<string, unknown[]>();
  let tokens = 0;
  let omitted = 0;
  for (const { section, item, tokens: cost } of candidates) {
    if (tokens + cost > budgetTokens) {
      omitted += 1;
      continue;
    }
    tokens += cost;
    const items = sections.get(section);
    if (items === undefined) sections.set(section, [item]);
    else items.push(item);
  }
  return { chosen: <T>(section: string) => (sections.get(section) ?? []) as T[], tokens, omitted };
}

/** Estimates the tokens of a value: one per four bytes of its JSON. */
export function estimateTokens(value: unknown): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(value) ?? '') / 4);
}
