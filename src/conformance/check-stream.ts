import { SCHEMA_VERSION } from '../contract/generated.ts';
import type { Call, ProgramChecker } from './program-checker.ts';

/** Checks that a stream is lines of JSON, each with its type, and ends with a summary. */
export function checkStream({ argv }: Call, checker: ProgramChecker): void {
  const { stdout, exit } = checker.run(argv);
  const lines = stdout.trimEnd().split('\n').map(parseLine);
  checker.expect('streams and exits with 0', argv, exit === 0, `exit code ${exit}`);
  const isShaped = lines.every(
    (line) => line?.ok === true && line.schema_version === SCHEMA_VERSION && typeof line.type === 'string',
  );
  checker.expect('has lines with ok, schema_version and type', argv, isShaped, stdout.slice(0, 200));
  const last = lines.at(-1);
  checker.expect(
    'ends with a summary',
    argv,
    last?.type === 'summary',
    `the last line is ${String(last?.type)}`,
  );
}

interface Line {
  readonly ok?: unknown;
  readonly schema_version?: unknown;
  readonly type?: unknown;
}

function parseLine(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}
