/** Something that may go into a brief, in order of its importance. */
export interface Candidate {
  readonly section: string;
  readonly item: unknown;
  readonly tokens: number;
}

export interface Filled {
  readonly chosen: <T>(section: string) => T[];
  readonly tokens: number;
  readonly omitted: number;
}

/** Takes candidates in order as long as they fit; one that is too large does not keep a smaller one out. */
export function fillBudget(candidates: readonly Candidate[], budgetTokens: number): Filled {
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

/** About how many tokens a model needs for a value: one for four bytes of its JSON. */
export function estimateTokens(value: unknown): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(value) ?? '') / 4);
}
