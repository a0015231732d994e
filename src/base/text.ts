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

/** Replaces control characters, so that untrusted text cannot send escape sequences to a terminal. */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are the point
  return text.replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/gu, '\uFFFD');
}
