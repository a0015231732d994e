export type Format = 'json' | 'text' | 'raw';

export interface OutputOptions {
  readonly format: Format;
  readonly compact: boolean;
  readonly quiet: boolean;
}

/**
 * Reads how to answer before reading what was asked, leniently: a line that cannot be understood still gets its error in the
 * asked form. Help is text unless a format is named.
 */
export function readOutputOptions(argv: readonly string[]): OutputOptions {
  const words = flagWords(argv);
  const on = (flag: string): boolean => isOn(argv, flag);
  const at = words.indexOf('--format');
  const named =
    words.find((word) => word.startsWith('--format='))?.slice('--format='.length) ??
    (at < 0 ? undefined : words[at + 1]);
  const fallback = on('--help') && !on('--json') ? 'text' : 'json';
  const format =
    named === 'text' || named === 'raw' || named === 'json' ? named : named === undefined ? fallback : 'json';
  return { format, compact: on('--compact'), quiet: on('--quiet') };
}

/** Tells whether a boolean flag is on: bare or with `true`, and before a `--` that ends the flags. */
export function isOn(argv: readonly string[], flag: string): boolean {
  return flagWords(argv).some(
    (word, index) => (word === flag && argv[index + 1] !== 'false') || word === `${flag}=true`,
  );
}

function flagWords(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}
