/** The numbers of passed and failed tests, from the summary of a test runner. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
}

type Reader = (text: string) => TestCounts | undefined;

/** Parses the counts from the output of common test runners; undefined if no summary is recognised. */
export function parseTestCounts(output: string): TestCounts | undefined {
  const text = stripColours(output);
  for (const read of READERS) {
    const counts = read(text);
    if (counts !== undefined) return counts;
  }
  return undefined;
}

/** Returns the last match: earlier ones may be output of the tested program. */
function last(text: string, pattern: RegExp): RegExpExecArray | undefined {
  return [...text.matchAll(pattern)].at(-1);
}

function numberBefore(word: string, line: string): number {
  return Number(new RegExp(`(\\d+) ${word}\\b`, 'u').exec(line)?.[1] ?? 0);
}

/** `# pass 3` and `# fail 1`, or `ℹ pass 3` in the spec reporter. */
const nodeTest: Reader = (text) => {
  const passed = last(text, /^(?:#|ℹ) pass (\d+)$/gmu)?.[1];
  const failed = last(text, /^(?:#|ℹ) fail (\d+)$/gmu)?.[1];
  return passed === undefined || failed === undefined
    ? undefined
    : { passed: Number(passed), failed: Number(failed) };
};

/** `Tests  1 failed | 3 passed | 2 skipped (6)`. */
const vitest: Reader = (text) => {
  const line = last(text, /^\s*Tests {2}(?=\d+ (?:passed|failed|skipped|todo)).*$/gmu)?.[0];
  return line === undefined
    ? undefined
    : { passed: numberBefore('passed', line), failed: numberBefore('failed', line) };
};

/** `Tests:       1 failed, 3 passed, 4 total`. */
const jest: Reader = (text) => {
  const line = last(text, /^Tests:\s+.*\d+ total$/gmu)?.[0];
  return line === undefined
    ? undefined
    : { passed: numberBefore('passed', line), failed: numberBefore('failed', line) };
};

/** `==== 1 failed, 3 passed, 1 error in 0.12s ====`, with or without the bars. An error counts as a failed test. */
const pytest: Reader = (text) => {
  const line = last(
    text,
    /^=*\s?(?=(?:\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?)(?:, )?)+ in [\d.]+s).*$/gmu,
  )?.[0];
  if (line === undefined) return undefined;
  const errors = numberBefore('errors?', line);
  return { passed: numberBefore('passed', line), failed: numberBefore('failed', line) + errors };
};

/** `test result: ok. 3 passed; 0 failed; …`, once per crate and kind. */
const cargo: Reader = (text) => {
  const lines = [...text.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed;.*$/gmu)];
  if (lines.length === 0) return undefined;
  return {
    passed: lines.reduce((sum, [, passed]) => sum + Number(passed), 0),
    failed: lines.reduce((sum, [, , failed]) => sum + Number(failed), 0),
  };
};

/** Go: lines of `--- PASS:` with `-v`, otherwise one `ok` or `FAIL` per package. JSON events count tests only. */
const go: Reader = (text) => {
  const events = [...text.matchAll(/^\{.*"Action":"(pass|fail)".*"Test":".*\}$/gmu)].map(
    ([, action]) => action,
  );
  if (events.length > 0) return count(events, 'pass', 'fail');
  const tests = [...text.matchAll(/^\s*--- (PASS|FAIL): \S+ \([\d.]+s\)$/gmu)].map(([, verdict]) => verdict);
  const packages = [...text.matchAll(/^(ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[.+\])/gmu)].map(
    ([, word]) => word,
  );
  if (packages.length === 0) return undefined;
  // Without -v only failed tests are listed, so packages are counted instead.
  return tests.includes('PASS') ? count(tests, 'PASS', 'FAIL') : count(packages, 'ok', 'FAIL');
};

/** Test Anything Protocol: unindented points; skip and todo are not counted. */
const tap: Reader = (text) => {
  const isTap = /^(?:TAP version \d+|1\.\.\d+)/mu.test(text);
  const points = [...text.matchAll(/^(not ok|ok)\b(?: \d+)?(.*)$/gmu)].filter(
    ([, , rest]) => !/# (?:skip|todo)/iu.test(rest ?? ''),
  );
  return isTap && points.length > 0
    ? count(
        points.map(([, verdict]) => verdict),
        'ok',
        'not ok',
      )
    : undefined;
};

const READERS: readonly Reader[] = [nodeTest, vitest, jest, pytest, cargo, go, tap];

function count(words: readonly (string | undefined)[], passed: string, failed: string): TestCounts {
  return {
    passed: words.filter((word) => word === passed).length,
    failed: words.filter((word) => word === failed).length,
  };
}

function stripColours(text: string): string {
  // eslint-disable-next-line no-control-regex -- matches escape sequences
  return text.replaceAll(/\u001B\[[\d;]*m/gu, '').replaceAll('\r\n', '\n');
}
