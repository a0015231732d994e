export type Format = 'json' | 'text' | 'raw';

export interface OutputOptions {
  readonly format: Format;
  readonly compact: boolean;
  readonly quiet: boolean;
}

/** Made for people to watch: on their terminal it is text unless a format is named. Programs read pipes, and get JSON there as everywhere. */
const FOR_PEOPLE: ReadonlySet<string | undefined> = new Set(['demo']);

/**
 * Reads how to answer before reading what was asked, leniently: a line that cannot be understood still gets its error in the
 * asked form. Help is text unless a format is named.
 */
export function readOutputOptions(
  argv: readonly string[],
  // Asked only where it matters: looking loads what an ordinary start does without.
  isTerminal: () => boolean = () => false,
): OutputOptions {
  const words = flagWords(argv);
  const on = (flag: string): boolean => isOn(argv, flag);
  const at = words.indexOf('--format');
  const named =
    words.find((word) => word.startsWith('--format='))?.slice('--format='.length) ??
    (at < 0 ? undefined : words[at + 1]);
  const told = FOR_PEOPLE.has(argv.find((word) => !word.startsWith('-'))) && isTerminal();
  const fallback = (on('--help') || told) && !on('--json') ? 'text' : 'json';
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
