import { envelopeProblems, type DeclaredCodes } from './check-envelope.ts';
import { parseAnswer, runProgram, type Answer, type Program, type ProgramRun } from './run-program.ts';

/** A rule of the contract that was checked on one call. */
export interface Finding {
  readonly rule: string;
  readonly call: string;
  readonly ok: boolean;
  /** Why the rule is broken. */
  readonly problem?: string;
}

/** A command as `reference` describes it. */
export interface DescribedProgramCommand {
  readonly path: string;
  readonly type: 'read' | 'write';
  readonly gate: string;
  readonly streaming?: string;
  readonly batch?: { readonly targets: string };
  readonly params: readonly { readonly flag: string }[];
  readonly output_schema: string;
  readonly examples: readonly string[];
  readonly errors: readonly string[];
}

/** A call that must succeed, with its command. */
export interface Call {
  readonly argv: readonly string[];
  readonly command: DescribedProgramCommand;
}

/** Makes calls and collects findings; every answer is also compared with the envelope. */
export interface ProgramChecker {
  readonly findings: Finding[];
  readonly run: (argv: readonly string[]) => ProgramRun;
  readonly expect: (rule: string, argv: readonly string[], ok: boolean, problem: string) => void;
  readonly expectSuccess: (rule: string, argv: readonly string[]) => Answer;
  readonly expectCode: (rule: string, argv: readonly string[], code: string) => Answer;
}

export function createProgramChecker(program: Program, codes: DeclaredCodes): ProgramChecker {
  const findings: Finding[] = [];
  const expect: ProgramChecker['expect'] = (rule, argv, ok, problem) => {
    findings.push({ rule, call: argv.join(' '), ok, ...(!ok && { problem }) });
  };
  const answer = (rule: string, argv: readonly string[], wanted: string): Answer => {
    const run = runProgram(program, argv);
    const problems = envelopeProblems(run, codes);
    expect('answers with the envelope', argv, problems.length === 0, problems.join('; '));
    const found = parseAnswer(run);
    const got = found?.ok === true ? 'success' : String(found?.error?.code ?? 'no answer');
    const why = found?.error?.message === undefined ? '' : ` (${String(found.error.message)})`;
    expect(rule, argv, got === wanted, `expected ${wanted}, got ${got}${why}`);
    return found;
  };
  return {
    findings,
    expect,
    run: (argv) => runProgram(program, argv),
    expectSuccess: (rule, argv) => answer(rule, argv, 'success'),
    expectCode: (rule, argv, code) => answer(rule, argv, code),
  };
}
