import { quoteForShell } from '../../base/quote-for-shell.ts';
import type { Invocation } from '../../contract/invocation.ts';

/** Flags of the dry run that its confirmation does not have; those with a value are followed by it. */
const DROPPED = new Set(['--dry-run', '--dry-run=true']);
const DROPPED_WITH_VALUE = new Set(['--fields']);

/** The command line that applies a dry run: the same arguments, with the token instead of `--dry-run`. */
export function confirmCommand(
  token: string,
  argv: readonly string[],
  invocation: Invocation | undefined,
  tool: string,
): string {
  const words: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (DROPPED_WITH_VALUE.has(word)) index += 1;
    else if (!DROPPED.has(word)) words.push(quoteForShell(word));
  }
  const command = invocation?.command;
  const isDangerous = command !== undefined && 'gate' in command && command.gate === 'dangerous';
  const dangerous = isDangerous && !argv.includes('--dangerous') ? ['--dangerous'] : [];
  return [tool, ...words, '--confirm', token, ...dangerous].join(' ');
}
