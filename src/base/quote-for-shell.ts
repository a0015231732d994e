/** Quotes a word so that a shell passes it unchanged. */
export function quoteForShell(word: string): string {
  return /^[\w.:/@-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
