import { describe, expect, it } from 'vitest';
import { excerptOutput } from './excerpt-output.ts';
import { reportsFailure } from './reports-failure.ts';
import { cpuTimeMs } from '../../system/cpu-time-ms.ts';

interface Sample {
  readonly output: string;
  /** What the excerpt contains. */
  readonly has: readonly string[];
  /** What it leaves out. */
  readonly hasNot: readonly string[];
}

const filler = (line: (index: number) => string, count = 60): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

/** Outputs in the format of each tool, longer than what a brief has room for. */
const SAMPLES: Readonly<Record<string, Sample>> = {
  pytest: {
    output: `============================= test session starts ==============================
platform linux -- Python 3.12.6, pytest-8.3.3, pluggy-1.5.0
rootdir: /src/app
plugins: anyio-4.6.0, cov-5.0.0
collected 61 items

${filler((index) => `tests/test_m${index}.py .....                    [ ${index}%]`)}

=================================== FAILURES ===================================
______________________________ test_total_of_empty ______________________________

    def test_total_of_empty():
>       assert total([]) == 0
E       AssertionError: assert None == 0
E        +  where None = total([])

tests/test_total.py:9: AssertionError
_______________________________ test_rounds_half _______________________________
    def test_rounds_half():
>       assert rounded("0.125") == Decimal("0.13")
E       decimal.InvalidOperation: [<class 'decimal.ConversionSyntax'>]

tests/test_total.py:14: InvalidOperation
=========================== short test summary info ============================
FAILED tests/test_total.py::test_total_of_empty - AssertionError: assert None == 0
FAILED tests/test_total.py::test_rounds_half - decimal.InvalidOperation: [<class 'decimal.ConversionSyntax'>]
========================= 2 failed, 305 passed in 5.18s =========================`,
    has: ['test_total_of_empty', 'assert None == 0', 'test_rounds_half', '2 failed'],
    hasNot: ['platform linux', 'rootdir', 'tests/test_m3.py'],
  },
  jest: {
    output: `> shop@1.0.0 test
> jest

PASS src/a.test.ts
FAIL src/cart/cart.test.ts
  cart
    ✓ adds an item (3 ms)
    ✕ applies a voucher once (12 ms)

  ● cart › applies a voucher once

    expect(received).toBe(expected) // Object.is equality

    Expected: 900
    Received: 810

      41 |     cart.apply('TEN');
    > 42 |     expect(cart.total).toBe(900);
         |                        ^
      at Object.<anonymous> (src/cart/cart.test.ts:42:24)
${filler((index) => `      at Promise.then.completed (node_modules/jest-circus/build/utils.js:29${index}:28)`)}

Test Suites: 1 failed, 1 passed, 2 total
Tests:       1 failed, 7 passed, 8 total
Snapshots:   0 total`,
    has: ['cart › applies a voucher once', 'Expected: 900', 'Received: 810', 'Tests:       1 failed'],
    hasNot: ['node_modules', '✓', 'Snapshots'],
  },
  vitest: {
    output: ` RUN  v3.2.4 /src/app

${filler((index) => ` ✓ src/m${index}.test.ts (4 tests) 12ms`)}
 ❯ src/date.test.ts (2 tests | 1 failed) 8ms
   × keeps the offset 5ms
     → expected '+02:00' to be 'Z' // Object.is equality

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯
 FAIL  src/date.test.ts > parser > keeps the offset
AssertionError: expected '+02:00' to be 'Z' // Object.is equality

Expected: "Z"
Received: "+02:00"

 ❯ src/date.test.ts:12:29

 Test Files  1 failed | 60 passed (61)
      Tests  1 failed | 241 passed (242)
   Duration  1.20s`,
    has: ['parser > keeps the offset', "expected '+02:00' to be 'Z'", 'src/date.test.ts:12:29'],
    hasNot: ['RUN', 'src/m3.test.ts', 'Duration'],
  },
  'go test': {
    output: `${filler((index) => `=== RUN   TestOk${index}\n--- PASS: TestOk${index} (0.00s)`)}
=== RUN   TestDrop
    queue_test.go:63: dropped "b", want "a"
--- FAIL: TestDrop (0.01s)
FAIL
FAIL	example.org/app/internal/queue	0.412s
?   	example.org/app/cmd	[no test files]
FAIL`,
    has: ['--- FAIL: TestDrop', 'queue_test.go:63: dropped "b", want "a"', 'example.org/app/internal/queue'],
    hasNot: ['TestOk', 'no test files'],
  },
  'a panic in go': {
    output: `panic: runtime error: index out of range [3] with length 3

goroutine 7 [running]:
testing.tRunner.func1.2({0x52a0c0, 0xc0000182b8})
	/usr/local/go/src/testing/testing.go:1631 +0x24a
example.org/app.Last(...)
	/src/app/last.go:9
${filler(() => '	/usr/local/go/src/runtime/panic.go:770 +0x132')}
FAIL	example.org/app	0.006s`,
    has: ['panic: runtime error: index out of range [3] with length 3', '/src/app/last.go:9'],
    hasNot: ['/usr/local/go', 'goroutine'],
  },
  'cargo test': {
    output: `   Compiling app v0.1.0 (/src/app)
    Finished test [unoptimized + debuginfo] target(s) in 1.02s
running 62 tests
${filler((index) => `test parser::case_${index} ... ok`)}
test parser::tests::keeps_comments ... FAILED

failures:

---- parser::tests::keeps_comments stdout ----
thread 'parser::tests::keeps_comments' panicked at src/parser.rs:88:9:
assertion \`left == right\` failed
  left: 2
 right: 3
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace

failures:
    parser::tests::keeps_comments

test result: FAILED. 61 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out

error: test failed, to rerun pass \`--lib\``,
    has: [
      'parser::tests::keeps_comments',
      'src/parser.rs:88:9',
      'assertion `left == right` failed',
      'left: 2',
      'right: 3',
    ],
    hasNot: ['case_3', 'Compiling', 'RUST_BACKTRACE'],
  },
  rustc: {
    output: `${filler((index) => `   Compiling dep${index} v1.0.0`)}
error[E0502]: cannot borrow \`self.rows\` as mutable because it is also borrowed as immutable
  --> src/table.rs:41:13
   |
41 |             self.rows.push(row);
   |             ^^^^^^^^^^^^^^^^^^^
error: could not compile \`app\` (lib) due to 1 previous error`,
    has: ['error[E0502]: cannot borrow `self.rows`', '--> src/table.rs:41:13'],
    hasNot: ['Compiling dep3'],
  },
  mocha: {
    output: `  api
${filler((index) => `    ✔ answers ${index}`)}
    1) rejects an expired token

  60 passing (2s)
  1 failing

  1) api
       rejects an expired token:

      AssertionError: expected 200 to equal 401
      + expected - actual

      -200
      +401

      at Context.<anonymous> (test/api.js:40:24)
      at process.processImmediate (node:internal/timers:483:21)`,
    has: ['rejects an expired token', 'AssertionError: expected 200 to equal 401', '1 failing'],
    hasNot: ['answers 3', 'node:internal'],
  },
  rspec: {
    output: `${'.'.repeat(80)}F

Failures:

  1) Invoice#total rounds to cents
     Failure/Error: expect(invoice.total).to eq(10.13)

       expected: 10.13
            got: 10.125

       (compared using ==)
     # ./spec/invoice_spec.rb:22:in 'block (3 levels) in <top (required)>'

Finished in 0.4 seconds
81 examples, 1 failure

Failed examples:

rspec ./spec/invoice_spec.rb:20 # Invoice#total rounds to cents`,
    has: ['Invoice#total rounds to cents', 'expected: 10.13', 'got: 10.125', './spec/invoice_spec.rb:20'],
    hasNot: ['....'],
  },
  TAP: {
    output: `TAP version 13
${filler((index) => `ok ${index + 1} - works ${index}`)}
not ok 61 - closes the socket
  ---
  operator: equal
  expected: true
  actual: false
  at: Test.<anonymous> (/src/app/test/socket.js:12:5)
  ...
1..61
# tests 61
# pass 60
# fail 1`,
    has: ['not ok 61 - closes the socket', 'expected: true', 'actual: false'],
    hasNot: ['works 3', 'TAP version'],
  },
  tsc: {
    output: `src/app.ts(12,7): error TS2322: Type 'string' is not assignable to type 'number'.
src/cli/main.ts:40:3 - error TS2554: Expected 2 arguments, but got 1.

40   run(argv);
     ~~~
${filler((index) => `    ${index}  context of the error`)}
Found 2 errors in 2 files.`,
    has: [
      "src/app.ts(12,7): error TS2322: Type 'string'",
      'src/cli/main.ts:40:3 - error TS2554',
      'Found 2 errors',
    ],
    hasNot: ['context of'],
  },
  gcc: {
    output: `${filler((index) => `cc -O2 -c -o build/f${index}.o f${index}.c`)}
src/net.c: In function 'open_socket':
src/net.c:88:12: error: 'AF_INET7' undeclared (first use in this function)
   88 |     socket(AF_INET7, SOCK_STREAM, 0);
make: *** [Makefile:12: build/net.o] Error 1`,
    has: ["src/net.c:88:12: error: 'AF_INET7' undeclared", 'make: *** [Makefile:12'],
    hasNot: ['build/f3.o'],
  },
  eslint: {
    output: `
/src/app/src/ok.ts
${filler((index) => `  ${index}:1  warning  Unexpected console statement  no-console`)}

/src/app/src/session.ts
  14:7  error  'token' is assigned a value but never used  no-unused-vars

✖ 61 problems (1 error, 60 warnings)`,
    has: [
      '/src/app/src/session.ts',
      "14:7  error  'token' is assigned a value but never used",
      '61 problems (1 error',
    ],
    hasNot: ['3:1  warning'],
  },
  'java with a cause': {
    output: `Exception in thread "main" java.lang.IllegalStateException: cannot start
${filler((index) => `	at org.apache.app.Boot.step${index}(Boot.java:${index})`)}
Caused by: java.net.BindException: Address already in use (Bind failed)
	at java.base/java.net.PlainSocketImpl.socketBind(Native Method)
	... 12 more`,
    has: ['Caused by: java.net.BindException: Address already in use', 'IllegalStateException: cannot start'],
    hasNot: ['Boot.step3('],
  },
  maven: {
    output: `${filler((index) => `[INFO] Downloaded from central: lib${index}`)}
[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0
[ERROR] Failures:
[ERROR]   TariffTest.nightRate:31 expected: <0.21> but was: <0.29>
[INFO] BUILD FAILURE`,
    has: ['TariffTest.nightRate:31 expected: <0.21> but was: <0.29>', 'BUILD FAILURE'],
    hasNot: ['lib3'],
  },
  'a traceback of python': {
    output: `Traceback (most recent call last):
${filler((index) => `  File "/usr/lib/python3.12/m${index}.py", line ${index}, in run\n    step(${index})`)}
KeyError: 'region'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/src/app/load.py", line 12, in <module>
    main()
app.config.ConfigError: region is missing in settings.toml`,
    has: ['app.config.ConfigError: region is missing in settings.toml', "KeyError: 'region'"],
    hasNot: ['step(3)'],
  },
  phpunit: {
    output: `PHPUnit 11.2.0 by Sebastian Bergmann and contributors.
${'.'.repeat(60)}F                                              61 / 61 (100%)

There was 1 failure:

1) App\\Tests\\CartTest::testVoucher
Failed asserting that 810 matches expected 900.

/src/app/tests/CartTest.php:42

FAILURES!
Tests: 61, Assertions: 140, Failures: 1.`,
    has: ['CartTest::testVoucher', 'Failed asserting that 810 matches expected 900.'],
    hasNot: ['.......'],
  },
  'a shell': {
    output: `${filler((index) => `step ${index}`)}\nbash: line 3: terraform: command not found`,
    has: ['step 59', 'terraform: command not found'],
    hasNot: ['step 3\n'],
  },
};

describe('the excerpt of a failed command', () => {
  it.each(Object.entries(SAMPLES))('of %s names the failed test or error with its cause', (_tool, sample) => {
    const excerpt = excerptOutput(`Exit code 1\n${sample.output}`, 420);
    for (const text of sample.has) expect(excerpt).toContain(text);
    for (const text of sample.hasNot) expect(excerpt).not.toContain(text);
    expect(excerpt.length).toBeLessThanOrEqual(420);
    // Stored excerpts are shortened again for a brief.
    for (const text of sample.has.slice(0, 2))
      expect(excerptOutput(excerptOutput(sample.output, 1500), 420)).toContain(text);
  });

  it('names each failed test once, and keeps the first cause if many tests failed', () => {
    const names = filler((index) => ` × src/m.test.ts > case ${index} 3ms`, 300);
    const details = filler(
      (index) => ` FAIL  src/m.test.ts > case ${index}\nAssertionError: expected ${index} to be -1`,
      300,
    );
    const excerpt = excerptOutput(`${names}\n${details}`, 400);
    expect(excerpt.match(/case 0\b/gu)).toHaveLength(1);
    expect(excerpt).toContain('AssertionError: expected 0 to be -1');
    expect(excerpt).toContain('case 1');
  });

  it('shows a part of a cause that does not fit as a whole', () => {
    const output = `FAIL src/a/button.test.ts\n\n    Cannot find module '@app/ui/button' from 'src/a/${'long/'.repeat(20)}button.ts'`;
    const excerpt = excerptOutput(output, 90);
    expect(excerpt).toMatch(
      /^FAIL src\/a\/button\.test\.ts\nCannot find module '@app\/ui\/button' .*button\.ts'$/u,
    );
    expect(excerpt.length).toBeLessThanOrEqual(90);
  });

  it('is the last lines of an output without a known format', () => {
    const excerpt = excerptOutput(
      filler((index) => `row ${index} of the report`, 500),
      100,
    );
    expect(excerpt.endsWith('row 499 of the report')).toBe(true);
    expect(excerpt).not.toContain('row 3 ');
  });

  it('has no escape sequences, and shortens one long line in its middle', () => {
    expect(excerptOutput('\u001B[31mError:\u001B[39m no such table: jobs', 100)).toBe(
      'Error: no such table: jobs',
    );
    const long = excerptOutput(`Error: ${'x'.repeat(5000)} at the end`, 200);
    expect(long).toMatch(/^Error: x+ … x* ?at the end$/u);
    expect(long.length).toBeLessThanOrEqual(200);
    expect(excerptOutput('', 100)).toBe('');
  });

  it.each([
    ['one line', 'Failed a'.repeat(500_000)],
    ['blank lines', '\n'.repeat(1_000_000)],
    ['white space', `Error:${' '.repeat(1_000_000)}x`],
    ['short lines', 'a\n'.repeat(1_000_000)],
    ['failed tests', 'FAILED a::b - x\n'.repeat(100_000)],
  ])('takes little time for megabytes of %s', (_name, output) => {
    const started = cpuTimeMs();
    expect(excerptOutput(output, 1500).length).toBeLessThanOrEqual(1500);
    reportsFailure('pytest | tail', output);
    expect(cpuTimeMs() - started).toBeLessThan(1000);
  });
});
