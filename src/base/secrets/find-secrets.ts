import { findAssignments } from './assignments.ts';
import { decodeEscapes } from './decode-escapes.ts';
import { findByContext, mayNeedContext } from './context-patterns.ts';
import { findInTables } from './find-in-tables.ts';
import type { SecretFinding } from './secret-finding.ts';
import { findTokens } from './find-tokens.ts';

/** A text shorter than `a://:x@`, or a single word shorter than any token: most names and many values. */
const HARMLESS = /^(?:.{0,6}|[\w.-]{0,15})$/su;

/** Finds every secret in a text, in order and without overlaps. */
export function findSecrets(text: string): readonly SecretFinding[] {
  if (HARMLESS.test(text)) return [];
  const escaped = decodeEscapes(text);
  const found = findIn(text);
  // A name or a value may be written with escapes: `"pass\u0077ord"`.
  if (escaped)
    found.push(...findIn(escaped.text).map((finding) => ({ ...finding, ...escaped.original(finding) })));
  return mergeOverlaps(found);
}

function findIn(text: string): SecretFinding[] {
  const lower = text.toLowerCase();
  const found = findTokens(text, lower);
  if (mayNeedContext(lower))
    found.push(...findByContext(text, lower), ...findAssignments(text), ...findInTables(text));
  return found;
}

/** Where two rules find the same text, the wider finding is kept; of equally wide findings, the first. */
function mergeOverlaps(found: readonly SecretFinding[]): readonly SecretFinding[] {
  const merged: SecretFinding[] = [];
  for (const finding of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (!last || finding.start >= last.end) merged.push(finding);
    else if (finding.end > last.end) merged[merged.length - 1] = { ...last, end: finding.end };
  }
  return merged;
}
