/** Quotes a word so that a shell takes it as it is. */
export function quoteForShell(word: string): string {
  return /^[\w.:/@-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
