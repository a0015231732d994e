/**
 * The whole proof of this project: checks on the source, the builds, every suite, and last the judgement of what the suites
 * ran. Prints one closing line `N passed, N failed`. Arguments are passed to the main test run, to narrow it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { ROOT } from './build-constants.ts';

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** A test run reports how many tests it ran; every other step counts as one. */
  readonly report?: string;
}

const REPORTS = `${ROOT}.cache/reports`;
const vitest = (name: string, projects: readonly string[], filters: readonly string[] = []): Step => ({
  name,
  command: [
    'vitest',
    'run',
    ...projects.flatMap((project) => ['--project', project]),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${REPORTS}/${name}.json`,
    ...filters,
  ],
  report: `${REPORTS}/${name}.json`,
});

const filters = process.argv.slice(2);
const CHECKS: readonly Step[] = [
  { name: 'generated code is current', command: ['node', 'scripts/gen-contract.ts', '--check'] },
  // Examples and tests are checked against the types of the built libraries.
  { name: 'build the libraries', command: ['node', 'scripts/build-libraries.ts'] },
  { name: 'types', command: ['tsc', '--noEmit', '-p', '.'] },
  { name: 'lint', command: ['oxlint', '--deny-warnings'] },
  { name: 'format', command: ['oxfmt', '--check', '.'] },
  { name: 'nothing unused', command: ['knip'] },
  { name: 'build the executable', command: ['node', 'scripts/build-executable.ts'] },
  { name: 'pack for npm', command: ['node', 'scripts/pack-npm.ts', 'main', '.cache/npm'] },
  { name: 'package', command: ['publint', 'dist/npm/deed-cli', '--strict'] },
];
const SUITES: readonly Step[] = [
  // The corpus is about what processes of this machine do, so it is played while no other suite starts any.
  ...(filters.length === 0 ? [vitest('scenarios', ['scenarios'])] : []),
  vitest('suites', ['unit', 'architecture', 'acceptance'], filters),
];
// AdmissionInput only after a whole run: a narrowed one has not run everything.
const JUDGEMENT: readonly Step[] = filters.length === 0 ? [vitest('coverage', ['coverage'])] : [];

rmSync(`${ROOT}.cache/invocations`, { recursive: true, force: true });
rmSync(REPORTS, { recursive: true, force: true });
mkdirSync(REPORTS, { recursive: true });

let passed = 0;
let failed = 0;
const broken: string[] = [];
// Tests of the sandbox need bubblewrap; where it cannot be installed they are skipped, and the script says how to get it.
spawnSync('sh', [`${ROOT}scripts/setup-optional.sh`], { stdio: 'inherit' });
for (const step of [...CHECKS, ...SUITES, ...JUDGEMENT]) run(step);
if (broken.length > 0) console.log(`\nFailed: ${broken.join(', ')}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function run({ name, command: [program, ...args], report }: Step): void {
  const startedAt = performance.now();
  const { status } = spawnSync(program, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${ROOT}node_modules/.bin:${process.env.PATH}` },
  });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok' : 'FAILED'}  ${name} (${seconds} s)`);
  const counts = report === undefined ? undefined : readCounts(report);
  passed += counts?.passed ?? (status === 0 ? 1 : 0);
  // A run that fails without a failed test (a crash, no tests at all) is a failure too.
  failed += counts && counts.failed > 0 ? counts.failed : status === 0 ? 0 : 1;
  if (status !== 0) broken.push(name);
}

function readCounts(report: string): { passed: number; failed: number } | undefined {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8')) as Record<
      string,
      number
    >;
    return { passed: numPassedTests ?? 0, failed: numFailedTests ?? 0 };
  } catch {
    return undefined;
  }
}
