export type Format = 'json' | 'text' | 'raw';

export interface OutputOptions {
  readonly format: Format;
  readonly compact: boolean;
  readonly quiet: boolean;
}

/** Commands that default to text on a terminal; in a pipe the default is JSON, as for all commands. */
const TEXT_ON_TERMINAL = /^(?:demo|work log|work diff)(?: |$)/u;

/**
 * Reads the output flags leniently before the command line is parsed, so that an invalid command line gets its error in the
 * requested format. Help is text by default.
 */
export function readOutputOptions(
  argv: readonly string[],
  // A function, because the check loads a module that an ordinary start does not need.
  isTerminal: () => boolean = () => false,
): OutputOptions {
  const on = (flag: string): boolean => isOn(argv, flag);
  const [named, ...others] = requestedFormats(argv);
  const isText = TEXT_ON_TERMINAL.test(commandWords(argv)) && isTerminal();
  const fallback = asksForHelp(argv) || argv[0] === 'help' || isText ? 'text' : 'json';
  // A command line with contradicting formats is rejected, and the error is JSON like any other.
  const format =
    named === undefined
      ? fallback
      : others.length === 0 && (named === 'text' || named === 'raw')
        ? named
        : 'json';
  return { format, compact: on('--compact'), quiet: on('--quiet') };
}

function commandWords(argv: readonly string[]): string {
  return argv.filter((word) => !word.startsWith('-')).join(' ');
}

/** The distinct formats that a command line asks for, valid or not; `--json` is one of them. */
export function requestedFormats(argv: readonly string[]): readonly string[] {
  const words = flagWords(argv);
  const named = words.flatMap((word, index) => {
    if (word.startsWith('--format=')) return [word.slice('--format='.length)];
    const next = words[index + 1];
    return word === '--format' && next !== undefined && !next.startsWith('--') ? [next] : [];
  });
  return [...new Set([...named, ...(isOn(argv, '--json') ? ['json'] : [])])];
}

/** Whether a boolean flag is set: bare or with `true`, and before a `--` that ends the flags. */
export function isOn(argv: readonly string[], flag: string): boolean {
  return flagWords(argv).some(
    (word, index) => (word === flag && argv[index + 1] !== 'false') || word === `${flag}=true`,
  );
}

/** `-h` counts unless it may be the value of a flag. */
export function asksForHelp(argv: readonly string[]): boolean {
  const isShort = flagWords(argv).some(
    (word, index) => word === '-h' && argv[index - 1]?.startsWith('--') !== true,
  );
  return isShort || isOn(argv, '--help');
}

function flagWords(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}
