import { findAssignments } from './assignments.ts';
import { findByContext, mayNeedContext } from './context-patterns.ts';
import type { Finding } from './finding.ts';
import { tokenFormats, unmarkedFormats } from './token-formats.ts';
import { tokenMarks } from './token-marks.ts';

/** `a://:x@` is the shortest text with a secret in it. */
const SHORTEST_SECRET_TEXT = 7;

/** Finds every secret in a text, in order and without overlaps. */
export function findSecrets(text: string): readonly Finding[] {
  if (text.length < SHORTEST_SECRET_TEXT) return [];
  const lower = text.toLowerCase();
  const found = findTokens(text, lower);
  if (mayNeedContext(lower)) found.push(...findByContext(text, lower), ...findAssignments(text));
  return mergeOverlaps(found);
}

/** Finds tokens by their own format. They are long words with digits or capitals; most texts have none. */
export function findTokens(text: string, lower = text.toLowerCase()): Finding[] {
  if (!/[\w.+/=~$-]{16}/u.test(text) || !/[0-9A-Z]/u.test(text)) return [];
  const formats: { readonly kind: string; readonly pattern: () => RegExp }[] = [...unmarkedFormats()];
  if (hasMark(lower)) {
    formats.push(...tokenFormats().filter(({ marks }) => marks.some((mark) => lower.includes(mark))));
  }
  return formats.flatMap(({ kind, pattern }) =>
    [...text.matchAll(pattern())]
      .filter(([token]) => !isMadeOfCrosses(token))
      .map((match) => ({ kind, start: match.index, end: match.index + match[0].length })),
  );
}

function hasMark(lower: string): boolean {
  for (const mark of tokenMarks()) if (lower.includes(mark)) return true;
  return false;
}

/** Where two rules find the same text, the wider one applies; of equal ones the first. */
function mergeOverlaps(found: readonly Finding[]): readonly Finding[] {
  const merged: Finding[] = [];
  for (const finding of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (!last || finding.start >= last.end) merged.push(finding);
    else if (finding.end > last.end) merged[merged.length - 1] = { ...last, end: finding.end };
  }
  return merged;
}

/** Documentation writes `ghp_xxxxxxxx` where a token belongs. */
function isMadeOfCrosses(token: string): boolean {
  return /[-_.](?:x{6,}|X{6,}|\*{6,})$/u.test(token);
}
