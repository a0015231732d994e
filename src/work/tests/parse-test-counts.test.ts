import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../../scripts/build-constants.ts';
import { parseTestCounts } from './parse-test-counts.ts';

describe('test counts', () => {
  it.each([
    ['vitest', ' Test Files  1 failed (1)\n      Tests  1 failed | 3 passed | 2 skipped (6)\n', 3, 1],
    ['vitest, all passed', '\u001B[2m      Tests \u001B[22m \u001B[32m4 passed\u001B[39m (4)\n', 4, 0],
    ['jest', 'Test Suites: 1 failed, 1 total\nTests:       1 failed, 3 passed, 4 total\n', 3, 1],
    ['jest, all passed', 'Tests:       7 passed, 7 total\r\n', 7, 0],
    ['pytest', '=========== 1 failed, 3 passed, 1 skipped in 0.12s ===========\n', 3, 1],
    ['pytest with errors', '===== 2 passed, 1 error in 1.02s =====\n', 2, 1],
    ['pytest -q', '.F\n1 failed, 1 passed in 0.01s\n', 1, 1],
    [
      'go',
      'ok  \texample.org/a\t0.01s\nFAIL\texample.org/b\t0.02s\nok  \texample.org/c\t(cached)\nFAIL\n',
      2,
      1,
    ],
    [
      'go -v',
      '=== RUN   TestA\n--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\n    --- PASS: TestB/x (0.00s)\nFAIL\texample.org/b\t0.02s\n',
      2,
      1,
    ],
    [
      'go -json',
      '{"Action":"pass","Package":"a","Test":"TestA","Elapsed":0}\n{"Action":"fail","Package":"a","Test":"TestB","Elapsed":0}\n{"Action":"fail","Package":"a"}\n',
      1,
      1,
    ],
    [
      'cargo',
      'test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured\n\ntest result: FAILED. 1 passed; 2 failed; 0 ignored\n',
      4,
      2,
    ],
    ['TAP', 'TAP version 13\nok 1 - a\nnot ok 2 - b\nok 3 # SKIP later\n  ok 1 - nested\n1..3\n', 1, 1],
    ['node:test', 'ok 1 - x\n1..1\n# tests 3\n# pass 2\n# fail 1\n', 2, 1],
    ['node:test, spec reporter', 'ℹ tests 3\nℹ pass 3\nℹ fail 0\n', 3, 0],
  ])('are parsed from %s', (_, output, passed, failed) => {
    expect(parseTestCounts(output)).toEqual({ passed, failed });
  });

  it.each([
    ['no output', ''],
    ['prose', 'all 3 tests passed, 0 failed\n'],
    ['ok without a plan', 'ok\nok 1 then\n'],
    ['bytes', '\u0000\uFFFD\u0001'],
  ])('are not guessed from %s', (_, output) => {
    expect(parseTestCounts(output)).toBeUndefined();
  });

  it('are taken from the last summary', () => {
    expect(parseTestCounts('Tests:       9 passed, 9 total\nTests:       1 failed, 1 total\n')).toEqual({
      passed: 0,
      failed: 1,
    });
  });

  describe('of real runners', () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'deed-counts-'));
      const body = "it('a', () => {}); it('b', () => { throw new Error('no'); });";
      writeFileSync(join(folder, 'a.test.mjs'), `import { it } from 'node:test';\n${body}`);
      writeFileSync(join(folder, 'b.spec.ts'), `import { it } from 'vitest';\n${body}`);
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
    const output = (argv: [string, ...string[]]): string => {
      const [program, ...args] = argv;
      const { NODE_TEST_CONTEXT: _, ...env } = process.env;
      const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin', program), args, {
        cwd: folder,
        env,
        encoding: 'utf8',
      });
      return stdout;
    };

    it.each(['tap', 'spec'])('node:test, reporter %s', (reporter) => {
      expect(
        parseTestCounts(output(['node', '--test', `--test-reporter=${reporter}`, 'a.test.mjs'])),
      ).toEqual({ passed: 1, failed: 1 });
    });

    it('vitest', () => {
      expect(parseTestCounts(output(['vitest', 'run', '--root', folder, 'b.spec.ts']))).toEqual({
        passed: 1,
        failed: 1,
      });
    });
  });
});
