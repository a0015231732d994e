import { estimateTokens } from './estimate-tokens.ts';
import { escapeRecorded } from './frame.ts';

/** Shortens a text in its middle: requests begin with the subject and end with limits, and errors end with the cause. */
export function headAndTail(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = Math.ceil(length * 0.6);
  const first = text.slice(0, head).replace(/[\uD800-\uDBFF]$/u, '');
  const last = text.slice(text.length - (length - head)).replace(/^[\uDC00-\uDFFF]/u, '');
  return `${first} … ${last}`;
}

/** Shortens a text until it has at most this many tokens in a prompt. `cut` shortens to a number of characters. */
export function fitTokens(text: string, tokens: number, cut = headAndTail): string {
  // No token is longer on average, so the estimate never has to read a text of any length.
  let shown = cut(text, Math.max(MIN_CHARACTERS, tokens * 8));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const found = estimateTokens(escapeRecorded(shown));
    if (found <= tokens || shown.length <= MIN_CHARACTERS) break;
    shown = cut(text, Math.max(MIN_CHARACTERS, Math.floor((shown.length * tokens * 0.95) / found)));
  }
  return shown;
}

const MIN_CHARACTERS = 20;
const MAX_ATTEMPTS = 6;
