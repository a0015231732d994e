/**
 * Runs all checks of this project: checks of the source, the builds, every suite, and at the end the functional coverage of the suites.
 * Prints the last line `N passed, N failed`. Arguments are passed to the main suites, to run only some of the tests.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { ROOT } from './build-constants.ts';
import { isBuildCurrent, writeBuildStamp } from './build-stamp.ts';
import { withTmpdirInMemory } from './memory-folder.ts';
import { runStep, runSteps, type Step, type StepResult } from './run-steps.ts';

const REPORTS = `${ROOT}.cache/reports`;
/** What Node compiled in one step, for the next ones: most of them load vitest or the source. */
const COMPILED = `${ROOT}.cache/compiled`;
const reportOf = (suite: string): string => `${REPORTS}/${suite}.json`;
const vitest = (name: string, projects: readonly string[], filters: readonly string[] = []): Step => ({
  name,
  command: [
    'vitest',
    'run',
    ...projects.flatMap((project) => ['--project', project]),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${reportOf(name)}`,
    ...filters,
  ],
});

const filters = process.argv.slice(2);
const PACKAGE = 'pack for npm';
const BUILDS: readonly Step[] = [
  { name: 'build the libraries', command: ['node', 'scripts/build-libraries.ts'] },
  { name: 'build the executable', command: ['node', 'scripts/build-executable.ts'] },
];
/** The longest come first, so that all end at about the same time. */
const CHECKS: readonly Step[] = [
  // The corpus waits for processes most of the time, and runs before the suites because they start many.
  ...(filters.length === 0 ? [vitest('scenarios', ['scenarios'])] : []),
  // Examples and tests are checked against the types of the built libraries.
  // More checkers would each do some work again.
  { name: 'types', command: ['tsc', '--noEmit', '-p', '.', '--checkers', '1'] },
  { name: 'lint', command: ['oxlint', '--deny-warnings'] },
  { name: 'unused code', command: ['knip'] },
  { name: 'types of the web pages', command: ['tsc', '--noEmit', '-p', 'web'] },
  { name: PACKAGE, command: ['node', 'scripts/pack-npm.ts', 'main', '.cache/npm'] },
  { name: 'package', command: ['publint', 'dist/npm/deed-cli', '--strict'], after: [PACKAGE] },
  { name: 'generated code is current', command: ['node', 'scripts/gen-contract.ts', '--check'] },
  { name: 'format', command: ['oxfmt', '--check', '.'] },
];
const SUITES: readonly Step[] = [
  vitest('suites', ['unit', 'architecture', 'acceptance', 'postgres'], filters),
  // Only after a complete run: a filtered one has not run everything.
  ...(filters.length === 0 ? [vitest('coverage', ['coverage'])] : []),
];

for (const folder of [`${ROOT}.cache/invocations`, COMPILED, REPORTS])
  rmSync(folder, { recursive: true, force: true });
mkdirSync(REPORTS, { recursive: true });
process.env.NODE_COMPILE_CACHE = COMPILED;

// Tests of the sandbox need bubblewrap; where it cannot be installed they are skipped, and the script prints how to install it.
spawnSync('sh', [`${ROOT}scripts/setup-optional.sh`], { stdio: 'inherit' });
const results: StepResult[] = await build();
results.push(...(await runSteps(CHECKS, 3)));
// The long suites write more than fits into memory, and test what only a disk can do.
const onDisk = process.env.DEED_TEST_LONG !== undefined;
for (const suite of SUITES)
  results.push(await runStep(onDisk ? suite : withTmpdirInMemory(suite), 'inherit'));

const counts = results.map((result) => readCounts(result));
const broken = results.filter(({ ok }) => !ok).map(({ name }) => name);
if (broken.length > 0) console.log(`\nFailed: ${broken.join(', ')}`);
for (const name of broken) for (const test of failedTests(name)) console.log(`  ${test}`);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
console.log(`${counts.reduce((sum, count) => sum + count.passed, 0)} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** Builds, unless dist was built from this source: `npm ci` builds too. */
async function build(): Promise<StepResult[]> {
  if (isBuildCurrent()) {
    console.log('ok  dist is current');
    return BUILDS.map(({ name }) => ({ name, ok: true }));
  }
  const built = await runSteps(BUILDS, 2);
  if (built.every(({ ok }) => ok)) writeBuildStamp();
  return built;
}

/** What is read of vitest's JSON report. */
interface SuiteReport {
  readonly numPassedTests?: number;
  readonly numFailedTests?: number;
  readonly testResults?: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** The report of a suite; empty for any other step, and where vitest crashed. */
function readReport(name: string): SuiteReport {
  try {
    return JSON.parse(readFileSync(reportOf(name), 'utf8')) as SuiteReport;
  } catch {
    return {};
  }
}

/** Each failed test of a suite with the first lines of its failure: the end of the output is all that some CI services keep. */
function failedTests(name: string): readonly string[] {
  return (readReport(name).testResults ?? []).flatMap((file) =>
    file.assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => {
        const lines = (failureMessages[0] ?? '').split('\n').filter((line) => !line.includes('node_modules'));
        const reason = lines.slice(0, 8).join('\n    ');
        return `${file.name.replace(ROOT, '')}: ${fullName}\n    ${reason}`;
      }),
  );
}

/** A suite counts its tests; any other step, and a suite without a report, counts as one. */
function readCounts({ name, ok }: StepResult): { readonly passed: number; readonly failed: number } {
  const { numPassedTests = ok ? 1 : 0, numFailedTests = 0 } = readReport(name);
  // A suite that fails without a failed test (a crash, no tests at all) is a failure too.
  return { passed: numPassedTests, failed: ok ? numFailedTests : Math.max(numFailedTests, 1) };
}
