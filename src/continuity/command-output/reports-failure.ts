import { isPlainObject } from '../../base/json.ts';
import { isReader } from './command-words.ts';

/** Results that test runners, compilers and linters print; a pipe or `|| true` hides their exit status. */
const FAILED: readonly RegExp[] = [
  /(?:^|, |= )[1-9]\d* (?:failed|errors?)\b.{0,200} in [\d.]+ ?m?s/mu,
  /^(?:FAILED|ERROR) \S+(?:::|\.py\b)/mu,
  /^[ \t]*(?:Tests|Test Files|Test Suites):?\s+[1-9]\d* failed/mu,
  /^FAIL(?:$|:?\s+\S)/mu,
  /^[ \t]*--- FAIL: /mu,
  /^[ \t]*not ok \d+(?!.*# (?:TO[D]O|SKIP))/imu,
  /\berror TS\d+:/u,
  /^test result: FAILED/mu,
  /^error(?:\[E\d+\])?: /mu,
  /^[ \t]*[1-9]\d* failing$/mu,
  /\b\d+ examples?, [1-9]\d* failures?/u,
  /Tests run: \d+,.*(?:Failures|Errors): [1-9]/u,
  /^(?:> )?(?:\[ERROR\] |\[INFO\] )?BUILD FAIL(?:ED|URE)/mu,
  /✖ [1-9]\d* problems? \((?!0 errors)/u,
  /^Found [1-9]\d* errors?\b/mu,
  /^FAILURES!$|^Tests: \d+, Assertions: \d+.*(?:Failures|Errors): [1-9]/mu,
  /^Failed!\s+- Failed:\s+[1-9]/mu,
  /^make(?:\[\d+\])?: \*\*\* /mu,
  /^\S+:\d+(?::\d+)?: (?:fatal )?error: /mu,
  /^Traceback \(most recent call last\):$/mu,
  /^panic: |^thread '.{0,200}panicked at /mu,
  /^npm (?:ERR!|error) (?:code|Test failed|Lifecycle)/mu,
];

/** Only this much of an output is searched: a result is at its end. */
const MAX_CHARACTERS = 20_000;

/** Whether the output of a command with exit status 0 says that it failed. Never true for commands that only print text. */
export function reportsFailure(command: string, output: string): boolean {
  if (output === '' || isReader(command)) return false;
  const searched = output.slice(-MAX_CHARACTERS);
  return FAILED.some((pattern) => pattern.test(searched));
}

/** The output of a tool call, as hosts pass it. */
export function toolOutput(response: unknown): string {
  if (typeof response === 'string') return response;
  if (!isPlainObject(response)) return '';
  return ['stdout', 'output', 'stderr', 'llmContent']
    .map((name) => response[name])
    .filter((text): text is string => typeof text === 'string' && text !== '')
    .join('\n');
}
