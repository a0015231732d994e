import { EXIT_CODES, SCHEMA_VERSION } from '../contract/generated.ts';
import { parseAnswer, type Answer, type ProgramRun } from './run-program.ts';

const SUCCESS = 'ok,schema_version,data,meta';
const FAILURE = 'ok,schema_version,error,meta';
const ERROR = 'code,message,details,retryable';

/** The codes that a program declares in `reference`, with their exit codes. */
export type DeclaredCodes = Readonly<Record<string, { readonly exit: number; readonly retryable: boolean }>>;

/** Compares one answer with the envelope of the contract; returns the problems. */
export function envelopeProblems(run: ProgramRun, codes: DeclaredCodes): string[] {
  const answer = parseAnswer(run);
  if (answer === undefined) return ['standard output is not one JSON document'];
  const problems: string[] = [];
  if (!run.stdout.endsWith('\n')) problems.push('the document does not end with a newline');
  const keys = Object.keys(answer as object).join(',');
  if (keys !== (answer.ok === true ? SUCCESS : FAILURE))
    problems.push(`the envelope has the members ${keys}`);
  if (answer.schema_version !== SCHEMA_VERSION)
    problems.push(`schema_version is ${JSON.stringify(answer.schema_version)}`);
  if (!Number.isInteger(answer.meta?.duration_ms)) problems.push('meta.duration_ms is not an integer');
  const extra = Object.keys((answer.meta ?? {}) as object).filter(
    (name) => name !== 'duration_ms' && name !== 'notices',
  );
  if (extra.length > 0) problems.push(`meta has the members ${extra.join(', ')}`);
  return [...problems, ...(answer.ok === true ? successProblems(run) : errorProblems(run, answer, codes))];
}

function successProblems({ exit }: ProgramRun): string[] {
  return exit === 0 ? [] : [`ok with exit code ${exit}`];
}

function errorProblems({ exit }: ProgramRun, answer: Answer, codes: DeclaredCodes): string[] {
  const { error } = answer;
  const keys = Object.keys((error ?? {}) as object).join(',');
  if (keys !== ERROR) return [`error has the members ${keys}`];
  const row = Object.hasOwn(codes, String(error.code)) ? codes[String(error.code)] : undefined;
  if (row === undefined) return [`the code ${String(error.code)} is not in reference`];
  if (!Object.hasOwn(EXIT_CODES, String(exit))) return [`the exit code ${exit} is not in the contract`];
  const isRight = row.exit === exit && row.retryable === error.retryable;
  return isRight
    ? []
    : [
        `${String(error.code)} has exit code ${exit} and retryable ${String(error.retryable)}, not ${row.exit} and ${row.retryable}`,
      ];
}
