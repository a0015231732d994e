import type { SecretFinding } from './secret-finding.ts';
import { commonFormats, tokenFormats } from './token-formats.ts';
import { tokenSubstrings } from './token-substrings.ts';

/** Finds tokens by their own format. */
export function findTokens(text: string, lower: string): SecretFinding[] {
  if (!mayContainToken(text)) return [];
  const formats = mayContainFormat(lower) ? [...commonFormats(), ...tokenFormats()] : commonFormats();
  return formats
    .filter(
      ({ substrings, minCharacters = 0 }) =>
        text.length >= minCharacters && substrings.some((substring) => lower.includes(substring)),
    )
    .flatMap(({ kind, pattern }) =>
      [...text.matchAll(pattern())]
        .filter(([token]) => !isXPlaceholder(token))
        .map((match) => ({ kind, start: match.index, end: match.index + match[0].length })),
    );
}

/** Tokens are long words with digits or capitals. Most texts have none, other than names of variables such as `ANTHROPIC_API_KEY`. */
function mayContainToken(text: string): boolean {
  const longWords = text.match(/[\w.+/=~$-]{16,}/gu) ?? [];
  return longWords.some((word) => !/^[A-Z]+(?:_[A-Z]+)+$/u.test(word)) && /[0-9A-Z]/u.test(text);
}

/** Whether a text contains a substring that some token format starts with or contains. */
function mayContainFormat(lower: string): boolean {
  for (const substring of tokenSubstrings()) if (lower.includes(substring)) return true;
  return false;
}

/** Whether a token is a placeholder of documentation, such as `ghp_xxxxxxxx`. */
function isXPlaceholder(token: string): boolean {
  return /[-_.](?:x{6,}|X{6,}|\*{6,})$/u.test(token);
}
