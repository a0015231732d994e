import { eligible, keep, type Family } from '../situation.ts';

const PY_BUSY = `printf 'def test_long():\\n    n = 0\\n    while True: n += 1\\n' > test_long.py`;
const PY_WAIT = `printf 'import time\\ndef test_long():\\n    time.sleep(1e6)\\ndef test_long2():\\n    time.sleep(1e6)\\n' > test_long.py`;
const GO_WAIT = `export GOFLAGS=-mod=mod GOTELEMETRY=off; printf 'module x\\ngo 1.20\\n' > go.mod
printf 'package x\\nimport ("testing"; "time")\\nfunc TestLong(t *testing.T) { time.Sleep(1e6 * time.Second) }\\n' > x_test.go`;
const JS_WAIT = `printf "test('long', () => new Promise(() => setInterval(() => {}, 1e6)), 1e8);" > long.test.js`;
const JEST = `echo '{"private":true}' > package.json; ${JS_WAIT}; cp long.test.js second.test.js`;
const NODE_WAIT = `echo "require('node:test')('long', () => new Promise(() => setInterval(() => {}, 1e6)))" > long.test.cjs`;
const NODE_BUSY = `echo "require('node:test')('long', () => { for (;;); })" > long.test.cjs`;

/** Test runners at work, and workers whose runner was killed. */
export const tests: Family = {
  name: 'tests',
  situations: [
    keep(
      'pytest-cpu-bound-quiet-log',
      { stage: 'hangup', needs: ['pytest'], busy: true },
      'A long test run in the background; its log is quiet until the test ends.',
      `${PY_BUSY}; bg run nohup pytest -q test_long.py > pytest.log 2>&1; sleep 2; quiet pytest.log`,
    ),
    keep(
      'pytest-cpu-bound-detached',
      { stage: 'detached', needs: ['pytest'], busy: true },
      'The same without a terminal, as an agent starts it.',
      `${PY_BUSY}; bg run setsid pytest -q test_long.py > pytest.log 2>&1; sleep 2; quiet pytest.log`,
    ),
    keep(
      'pytest-with-living-owner',
      { stage: 'owner', needs: ['pytest'] },
      'The agent waits for its result.',
      `${PY_WAIT}; bg run pytest -q test_long.py; sleep 2`,
    ),
    keep(
      'pytest-xdist-with-living-owner',
      { stage: 'owner', needs: ['pytest'] },
      'Workers whose runner lives.',
      `${PY_WAIT}; bg run pytest -q -n 2 test_long.py; sleep 5`,
    ),
    keep(
      'pytest-waiting-for-a-service',
      { stage: 'hangup', needs: ['pytest'] },
      'A test run in the background waits for something slow; its log is quiet.',
      `${PY_WAIT}; bg run nohup pytest -q test_long.py > pytest.log 2>&1; sleep 2; quiet pytest.log`,
    ),
    keep(
      'go-test-with-living-owner',
      { stage: 'owner', needs: ['go'] },
      'go test and its binary at work.',
      `${GO_WAIT}; bg run go test ./...; child_of run 'x.test -test'`,
    ),
    keep(
      'go-test-in-background',
      { stage: 'hangup', needs: ['go'] },
      'A long test run in the background with a quiet log.',
      `${GO_WAIT}; bg run nohup go test -timeout 0 ./... > test.log 2>&1; child_of run 'x.test -test'; quiet test.log`,
    ),
    keep(
      'vitest-run-with-living-owner',
      { stage: 'owner', needs: ['vitest'] },
      'A runner with its workers.',
      `${JS_WAIT}; bg run vitest run --globals --testTimeout 0; sleep 4`,
    ),
    keep(
      'jest-with-living-owner',
      { stage: 'owner', needs: ['jest'] },
      'A runner with its workers.',
      `${JEST}; bg run jest --workerThreads=false -w 2; sleep 4`,
    ),
    keep(
      'mocha-on-terminal',
      { stage: 'terminal', needs: ['mocha'] },
      'A test run in an open terminal.',
      `echo "it('long', () => new Promise(() => setInterval(() => {}, 1e6))).timeout(0)" > long.spec.cjs; bg run mocha long.spec.cjs; sleep 2`,
    ),
    keep(
      'node-test-cpu-bound-in-background',
      { stage: 'detached', busy: true },
      'A long test run in the background with a quiet log.',
      `${NODE_BUSY}; bg run setsid node --test long.test.cjs > test.log 2>&1; child_of run long.test; quiet test.log`,
    ),
    keep(
      'make-check-in-background',
      { stage: 'hangup', needs: ['make'] },
      'make lives and waits for its test.',
      `printf 'check:\\n\\tsleep 100000\\n' > Makefile; bg run nohup make check > check.log 2>&1; sleep 1; quiet check.log`,
    ),
    eligible(
      'node-test-worker-runner-killed',
      { stage: 'orphan' },
      'A worker that waits indefinitely; its test runner was killed.',
      `${NODE_WAIT}; bg _run setsid node --test long.test.cjs; track worker $(child_of _run long.test); sleep 1; kill -9 $(cat _run.pid)`,
    ),
    eligible(
      'node-test-worker-cpu-runner-killed',
      { stage: 'orphan', busy: true },
      'A worker in an endless loop; its test runner was killed.',
      `${NODE_BUSY}; bg _run setsid node --test long.test.cjs; track worker $(child_of _run long.test); sleep 1; kill -9 $(cat _run.pid)`,
    ),
    eligible(
      'go-test-binary-runner-killed',
      { stage: 'orphan', needs: ['go'] },
      'A test binary without a timeout; go test was killed.',
      `${GO_WAIT}; bg _run setsid go test -timeout 0 ./...; track worker $(child_of _run 'x.test -test'); sleep 1; kill -9 $(cat _run.pid)`,
    ),
    eligible(
      'pytest-xdist-worker-master-killed',
      { stage: 'orphan', needs: ['pytest'], busy: true },
      'A worker in a regular expression that never ends; its master was killed.',
      `printf 'import re\\ndef test_long():\\n    open("started", "w").close()\\n    re.match("(a+)+$", "a" * 64 + "b")\\n' > test_long.py
bg _run setsid pytest -q -n 1 -p no:cacheprovider; until_true test -e started
track worker $(child_of _run sys.stdin.readline); kill -9 $(cat _run.pid)`,
    ),
    eligible(
      'jest-worker-runner-killed',
      { stage: 'orphan', needs: ['jest'], busy: true },
      'A worker in an endless test; jest was killed.',
      `echo '{"private":true}' > package.json; echo "test('long', () => { require('node:fs').writeFileSync(__filename + '.started', ''); for (;;); })" > a.test.js; cp a.test.js b.test.js
bg _run setsid jest --workerThreads=false -w 2; until_true test -e a.test.js.started -a -e b.test.js.started; track worker $(child_of _run processChild); kill -9 $(cat _run.pid)`,
    ),
    eligible(
      'vitest-worker-runner-killed',
      { stage: 'orphan', needs: ['vitest'], busy: true },
      'A worker in an endless test; vitest was killed.',
      `echo "test('long', () => { for (;;); })" > a.test.js
bg _run setsid vitest run --globals --pool forks; track worker $(child_of _run 'workers/forks'); sleep 4; kill -9 $(cat _run.pid)`,
    ),
  ],
};
