import type { DeclaredCodes } from './check-envelope.ts';
import { checkReference } from './check-reference.ts';
import { checkStream } from './check-stream.ts';
import { checkWrite } from './check-write.ts';
import {
  createProgramChecker,
  type Call,
  type ProgramChecker,
  type DescribedProgramCommand,
  type Finding,
} from './program-checker.ts';
import { parseAnswer, runProgram, type Program } from './run-program.ts';

/** The calls that the kit makes. */
export interface ConformanceCalls {
  /** For each command of yours, arguments that must succeed; writes without `--dry-run` and `--confirm`. */
  readonly calls: Readonly<Record<string, readonly string[]>>;
  /** Calls that need a person: they must fail with exit code 9. */
  readonly humanSteps?: Readonly<Record<string, readonly string[]>>;
}

export interface ConformanceReport {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  /** The broken rules, one per line. */
  readonly problems: readonly string[];
}

/** Commands that the library adds and tests itself. */
const STANDARD =
  /^(?:reference|context|doctor|changelog|completion|man|mcp serve|audit (?:list|export|verify)|config (?:get|list|set|unset|trust))$/u;

/** Runs the machine contract over a program: self-description, envelopes, exit codes, writes, batches, streams and steps for a person. */
export function checkProgram(
  program: Program,
  { calls, humanSteps = {} }: ConformanceCalls,
): ConformanceReport {
  const checked = withCheckedOutput(program);
  const reference = parseAnswer(runProgram(checked, ['reference', '--compact']))?.data as
    | Reference
    | undefined;
  const checker = createProgramChecker(checked, reference?.error_codes ?? {});
  checkReference(reference, checker);
  const commands = (reference?.commands ?? []).filter(({ path }) => !STANDARD.test(path));
  for (const command of commands) {
    const person = humanSteps[command.path];
    const given = calls[command.path];
    if (person !== undefined) checkHumanStep([...command.path.split(' '), ...person], checker);
    if (given !== undefined) checkCommand({ command, argv: [...command.path.split(' '), ...given] }, checker);
    checker.expect('is covered', [command.path], (person ?? given) !== undefined, 'no call of it was given');
  }
  checker.expectCode('rejects an unknown command', ['no-such-command'], 'E_USAGE');
  const problems = checker.findings
    .filter(({ ok }) => !ok)
    .map(({ rule, call, problem }) => `${call}: ${rule}: ${problem ?? ''}`);
  return { ok: problems.length === 0, findings: checker.findings, problems };
}

interface Reference {
  readonly tool: string;
  readonly error_codes: DeclaredCodes;
  readonly commands: readonly DescribedProgramCommand[];
}

/** Asks the program to compare its answers with its schemas. */
function withCheckedOutput(program: Program): Program {
  const tool = String(
    parseAnswer(runProgram(program, ['context', '--compact']))?.data?.tool ?? toolName(program),
  );
  const variable = `${tool.toUpperCase().replaceAll(/[^A-Z0-9]/gu, '_')}_CHECK_OUTPUT`;
  return { ...program, env: { ...program.env, [variable]: '1' } };
}

function toolName(program: Program): string {
  return String(parseAnswer(runProgram(program, ['reference', '--index', '--compact']))?.data?.tool);
}

function checkCommand(call: Call, checker: ProgramChecker): void {
  const { command, argv } = call;
  checker.expectCode('rejects an unknown flag', [...argv, '--no-such-flag'], 'E_USAGE');
  if (command.streaming !== undefined) checkStream(call, checker);
  else if (command.type === 'write' && command.gate !== 'exempt') checkWrite(call, checker);
  else checkRead(call, checker);
}

function checkRead({ argv, command }: Call, checker: ProgramChecker): void {
  checker.expectSuccess('succeeds', argv);
  const compact = checker.run([...argv, '--compact']).stdout;
  checker.expect(
    'has one line with --compact',
    argv,
    compact.trimEnd().split('\n').length === 1,
    'it has more',
  );
  checker.expectCode('rejects an unknown field', [...argv, '--fields', 'no_such_field'], 'E_VALIDATION');
  if (command.type === 'read')
    checker.expectCode('rejects --dry-run on a query', [...argv, '--dry-run'], 'E_USAGE');
}

function checkHumanStep(argv: readonly string[], checker: ProgramChecker): void {
  const preview = parseAnswer(checker.run([...argv, '--dry-run']));
  const token: unknown = preview?.data?.confirm_token;
  const call = typeof token === 'string' ? [...argv, '--confirm', token] : argv;
  const { details = {} } = (checker.expectCode('needs a person', call, 'E_HUMAN_REQUIRED')?.error ?? {}) as {
    details?: { action?: unknown; resume?: unknown };
  };
  const says = typeof details.action === 'string' && typeof details.resume === 'string';
  checker.expect('says what to do and how to continue', argv, says, 'details need action and resume');
}
