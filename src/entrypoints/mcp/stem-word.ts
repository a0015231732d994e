/** "processes", "running" and "verified" match "process", "run" and "verify". */
export function stemWord(word: string): string {
  if (word.length <= 3) return word;
  return word
    .replace(/(?:ies|ied)$/u, 'y')
    .replace(/ise(d|s)?$/u, 'ize')
    .replace(/(?:([a-z])\1)?(?:ing|ed|er)$|(?<=[sxhz])es$|(?<!s)s$/u, '$1')
    .replace(/(?<=[a-z]{3})e$/u, '');
}
