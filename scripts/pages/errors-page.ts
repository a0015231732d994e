import { Fault } from '../../src/base/fault.ts';
import { ERROR_CODES, EXIT_CODES } from '../../src/contract/generated.ts';
import { exitCodeOf } from '../../src/dialects/ai-agent/exit-code.ts';
import { contractError } from '../../src/dialects/pt/exit-code.ts';
import { row } from './describe-type.ts';
import { ERROR_WORDS } from './error-words.ts';
import { GENERATED } from './generated-note.ts';

/** Exit codes and errors, as each of the four executables has them. */
export function errorsPage(): string {
  const codes = Object.entries(ERROR_CODES);
  return `${GENERATED}
# Exit codes and errors

The same faults under four contracts. \`deed\` tells the code in \`error.code\`, \`vybe\` in \`error_code\`, \`pt\` under its own name; \`ai-agent\` writes to standard
error. Decide by code and \`retryable\`, never by the words of a message.

## Exit codes of deed

${[row('exit', 'meaning'), '|---|---|', ...Object.entries(EXIT_CODES).map(([exit, meaning]) => row(exit, meaning))].join('\n')}

## Exit codes of the others

| executable | exits |
|---|---|
| \`vybe\` | 0 done, 1 anything else; the code says what |
| \`pt\` | 0 done, 2 usage, 3 session or process unknown, 4 permission or protected, 5 a gate or budget, 6 timeout or interrupted, 7 another process, 10 unexpected |
| \`ai-agent\` | 0 success, 1 session failed, 3 tools unavailable, 4 invalid arguments or configuration, 5 invalid schema |

## Codes

${[row('code', '`deed`', 'retryable', '`pt`', '`ai-agent`', 'what it means'), '|---|---|---|---|---|---|', ...codes.map(([code, { exit, retryable }]) => row(`\`${code}\``, String(exit), retryable ? 'yes' : 'no', ptName(code), String(exitCodeOf(new Fault(code, ''))), wordsFor(code)))].join('\n')}
`;
}

function ptName(code: string): string {
  const names = [{}, { resource: 'process' }].map((details) =>
    contractError(new Fault(code, '', { details })),
  );
  const told = [...new Set(names.map((error) => `\`${error.code}\``))].join(', ');
  return `${names[0]?.exit} ${told}`;
}

function wordsFor(code: string): string {
  const words = ERROR_WORDS[code];
  if (words === undefined) throw new Error(`scripts/pages/error-words.ts says nothing about ${code}`);
  return words;
}
