import { expect, it } from 'vitest';
import { toolOutput, reportsFailure } from './reports-failure.ts';

it.each([
  ['pytest -q | tail -20', 'FAILED tests/a.py::test_b - assert 1 == 2\n1 failed, 3 passed in 0.12s'],
  ['pytest || true', '========= 2 failed, 3 passed, 1 warning in 1.20s ========='],
  [
    'npx vitest run 2>&1 | tail',
    ' Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 9 passed (10)',
  ],
  ['npx jest | tail', 'Tests:       1 failed, 7 passed, 8 total'],
  ['go test ./... | grep -v ok', '--- FAIL: TestX (0.00s)\nFAIL'],
  ['cargo test 2>&1 | tail -3', 'test result: FAILED. 1 passed; 1 failed; 0 ignored'],
  ['cargo build 2>&1 | head', 'error[E0502]: cannot borrow `x`'],
  ['npx tsc --noEmit | head -5', "src/a.ts(1,2): error TS2322: Type 'string'"],
  ['npx tap | tail', 'ok 1 - a\nnot ok 2 - b'],
  ['npx mocha | tail', '  9 passing (20ms)\n  1 failing'],
  ['bundle exec rspec | tail -4', '81 examples, 1 failure'],
  ['mvn -q test | tail', '[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0'],
  ['./gradlew test; true', 'BUILD FAILED in 3s'],
  ['npx eslint src | tail -2', '✖ 3 problems (1 error, 2 warnings)'],
  ['make 2>&1 | tail -3', "src/net.c:88:12: error: 'X' undeclared\nmake: *** [net.o] Error 1"],
  ['python load.py 2>&1 | tail -3', 'Traceback (most recent call last):\nKeyError: 1'],
])('%s with exit status 0 failed if its output reports a failure', (command, output) => {
  expect(reportsFailure(command, output)).toBe(true);
});

it.each([
  ['pytest -q | tail', '12 passed, 1 xfailed in 0.12s'],
  ['npx vitest run', ' Test Files  3 passed (3)\n      Tests  10 passed (10)'],
  ['go test ./...', 'ok  \tapp\t0.1s'],
  ['cargo test', 'test result: ok. 3 passed; 0 failed; 0 ignored'],
  ['npx mocha', '  9 passing\n  0 failing'],
  ['bundle exec rspec', '81 examples, 0 failures'],
  ['npx tap', 'ok 1 - a\nnot ok 2 - b # SKIP later'],
  ['npx eslint src', '✖ 2 problems (0 errors, 2 warnings)'],
  ['mvn test', 'Tests run: 4, Failures: 0, Errors: 0, Skipped: 0'],
  ['cat log.txt', 'FAILED tests/a.py::test_b'],
  ['git log -3 | head', 'FAIL: is printed in red'],
  ['rg -n FAIL src', 'FAIL src/a.ts'],
  ['cd app && cat out.log | grep FAIL', 'FAIL src/a.ts'],
  ['npm run build', ''],
])('%s did not fail', (command, output) => {
  expect(reportsFailure(command, output)).toBe(false);
});

it('the output is read in the shapes that hosts use', () => {
  expect(toolOutput({ stdout: 'a', stderr: 'b', interrupted: false })).toBe('a\nb');
  expect(toolOutput('a')).toBe('a');
  expect([toolOutput(undefined), toolOutput(null), toolOutput([1]), toolOutput({ stdout: 3 })]).toEqual([
    '',
    '',
    '',
    '',
  ]);
});
