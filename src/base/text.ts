/** Why a text cannot be stored and restored unchanged, or undefined when it can. */
export function unsafeText(text: string): 'nul byte' | 'invalid unicode' | undefined {
  if (text.includes('\u0000')) return 'nul byte';
  return text.isWellFormed() ? undefined : 'invalid unicode';
}

/** Shortens a text for a message without splitting a surrogate pair. */
export function excerpt(text: string, length = 80): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}

/** Control characters except tab and line feed. */
// eslint-disable-next-line no-control-regex -- control characters are the point
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/gu;

/**
 * Characters that a reader cannot see: they reorder text (bidirectional overrides), have no width, or are tags. Joiners are hidden only
 * next to ASCII: scripts such as Persian and many emoji need them.
 */
const HIDDEN =
  /[\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]|(?<=^|\p{ASCII})[\u200C\u200D]|[\u200C\u200D](?=\p{ASCII}|$)/gu;

/** Replaces control and hidden characters, so that untrusted text can neither send escape sequences to a terminal nor mislead its reader. */
export function printable(text: string): string {
  const visible = text.replace(CONTROLS, '\uFFFD');
  return isAscii(visible) ? visible : visible.replace(HIDDEN, '\uFFFD');
}

/** Escapes the same characters in JSON text: a terminal would interpret them, and a parser restores them. */
export function escapeJson(json: string): string {
  const visible = json.replace(/[\u007F-\u009F]/gu, escapeUnits);
  return isAscii(visible) ? visible : visible.replace(HIDDEN, escapeUnits);
}

/** ASCII contains no hidden characters, and most texts are ASCII: this check is cheaper than `HIDDEN`. */
function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/u.test(text);
}

function escapeUnits(text: string): string {
  return Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}
