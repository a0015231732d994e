import { Fault } from '../../src/base/fault.ts';
import { ERROR_CODES, EXIT_CODES } from '../../src/contract/generated.ts';
import { exitCodeOf } from '../../src/dialects/ai-agent/exit-code.ts';
import { contractError } from '../../src/dialects/pt/exit-code.ts';
import { row } from './describe-type.ts';
import { ERROR_DESCRIPTIONS } from './error-descriptions.ts';
import { GENERATED } from './generated-note.ts';

/** The exit codes and error codes of the four executables. */
export function errorsPage(): string {
  const codes = Object.entries(ERROR_CODES);
  return `${GENERATED}
# Exit codes and errors

The same errors under four contracts. \`deed\` returns the code in \`error.code\`, \`vybe\` in \`error_code\`, \`pt\` under a name of its contract; \`ai-agent\` writes
to standard error. Programs should use the code and \`retryable\`, never the text of a message.

## Exit codes of deed

${[row('exit', 'meaning'), '|---|---|', ...Object.entries(EXIT_CODES).map(([exit, meaning]) => row(exit, meaning))].join('\n')}

## Exit codes of the other executables

| executable | exits |
|---|---|
| \`vybe\` | 0 success, 1 any error; see the error code |
| \`pt\` | 0 success, 2 usage, 3 unknown session or process, 4 permission or protected, 5 gate or budget, 6 timeout or interrupted, 7 identity mismatch, 10 unexpected |
| \`ai-agent\` | 0 success, 1 session failed, 3 tools unavailable, 4 invalid arguments or configuration, 5 invalid schema |

## Codes

${[row('code', '`deed`', 'retryable', '`pt`', '`ai-agent`', 'meaning'), '|---|---|---|---|---|---|', ...codes.map(([code, { exit, retryable }]) => row(`\`${code}\``, String(exit), retryable ? 'yes' : 'no', ptName(code), String(exitCodeOf(new Fault(code, ''))), descriptionOf(code)))].join('\n')}
`;
}

function ptName(code: string): string {
  const names = [{}, { resource: 'process' }].map((details) =>
    contractError(new Fault(code, '', { details })),
  );
  const codes = [...new Set(names.map((error) => `\`${error.code}\``))].join(', ');
  return `${names[0]?.exit} ${codes}`;
}

function descriptionOf(code: string): string {
  const description = ERROR_DESCRIPTIONS[code];
  if (description === undefined)
    throw new Error(`scripts/pages/error-descriptions.ts has no description of ${code}`);
  return description;
}
