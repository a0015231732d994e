import { estimateTokens } from './estimate-tokens.ts';

/** An entry of a section: its line in the prompt and its value in the brief. */
export interface BriefEntry {
  readonly line: string;
  readonly item: unknown;
}

export interface Section {
  /** The list of the brief that the entries belong to. */
  readonly list: string;
  readonly title: string;
  /** The share of the budget that the section gets before what others leave is distributed. */
  readonly share: number;
  readonly entries: readonly BriefEntry[];
}

/** The size of a text: its estimated tokens, and its characters inside a JSON string. */
export interface Size {
  readonly tokens: number;
  readonly characters: number;
}

export interface FittedSection extends Section {
  readonly chosen: readonly BriefEntry[];
}

/** The values of a brief repeat its lines with the names of their members; they take at most this part of the budget more. */
const ITEMS_RATIO = 1.4;

/**
 * Selects entries in the order of the sections: first each section up to its share, then all sections up to the whole budget. An entry
 * that is too large is skipped, and smaller ones after it can still be selected. If only the prompt is used, the size of the values has no limit.
 */
export function fitSections(
  sections: readonly Section[],
  budget: Size,
  isPromptOnly = false,
): { readonly sections: readonly FittedSection[]; readonly used: Size; readonly omitted: number } {
  const chosen = sections.map(() => new Set<BriefEntry>());
  let used: Size = { tokens: 0, characters: 0 };
  let itemTokens = 0;
  const maxItemTokens = isPromptOnly ? Number.POSITIVE_INFINITY : budget.tokens * ITEMS_RATIO;
  const fill = (limitOf: (section: Section) => number): void => {
    for (const [index, section] of sections.entries()) {
      const own = chosen[index] as Set<BriefEntry>;
      let spent = [...own].reduce((sum, { line }) => sum + estimateTokens(line), 0);
      for (const entry of section.entries) {
        if (own.has(entry)) continue;
        const size = promptSizeOf(own.size === 0 ? `${section.title}:\n${entry.line}\n` : `${entry.line}\n`);
        const item = estimateTokens(JSON.stringify(entry.item) ?? '');
        const next = { tokens: used.tokens + size.tokens, characters: used.characters + size.characters };
        if (spent + size.tokens > limitOf(section)) continue;
        if (next.tokens > budget.tokens || next.characters > budget.characters) continue;
        if (itemTokens + item > maxItemTokens) continue;
        own.add(entry);
        used = next;
        spent += size.tokens;
        itemTokens += item;
      }
    }
  };
  fill(({ share }) => share * budget.tokens);
  fill(() => Number.POSITIVE_INFINITY);
  const fitted = sections.map((section, index) => ({
    ...section,
    chosen: section.entries.filter((entry) => chosen[index]?.has(entry)),
  }));
  const omitted = fitted.reduce((sum, { entries, chosen: own }) => sum + entries.length - own.length, 0);
  return { sections: fitted, used, omitted };
}

export function promptSizeOf(text: string): Size {
  return { tokens: estimateTokens(text), characters: JSON.stringify(text).length - 2 };
}
