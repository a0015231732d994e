import { findAssignments } from './assignments.ts';
import { CONTEXT_MARKS, findByContext } from './context-patterns.ts';
import type { Finding } from './finding.ts';
import { TOKEN_FORMATS } from './token-formats.ts';

const FORMAT_MARKS = new RegExp(
  [...new Set(TOKEN_FORMATS.flatMap(({ marks }) => marks))]
    .map((mark) => mark.replaceAll(/[.$/]/gu, String.raw`\$&`))
    .join('|'),
  'u',
);

/** Documentation writes `ghp_xxxxxxxx` where a token belongs. */
const ONLY_CROSSES = /[-_.](?:x{6,}|X{6,}|\*{6,})$/u;

/** Finds every secret in a text, in order and without overlaps. */
export function findSecrets(text: string): readonly Finding[] {
  const found = findByFormat(text);
  if (CONTEXT_MARKS.test(text)) found.push(...findByContext(text), ...findAssignments(text));
  return mergeOverlaps(found);
}

function findByFormat(text: string): Finding[] {
  const lower = text.toLowerCase();
  if (!FORMAT_MARKS.test(lower)) return [];
  return TOKEN_FORMATS.filter(({ marks }) => marks.some((mark) => lower.includes(mark))).flatMap(
    ({ kind, pattern }) =>
      [...text.matchAll(pattern)]
        .filter(([token]) => !ONLY_CROSSES.test(token))
        .map((match) => ({ kind, start: match.index, end: match.index + match[0].length })),
  );
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
