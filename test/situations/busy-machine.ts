/**
 * Makes 30 plans over ten minutes while the whole test suite and two builds run, in a pid namespace of their own: no process of theirs
 * may get an automatic action. Options: `--plans`, `--minutes`, `--pt`, and `--suite` for another test command. Exits with 1 if one does, with 2 if a build failed.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../../scripts/build-constants.ts';
import type { BusyResult } from './busy-plans.ts';

const { values } = parseArgs({
  options: {
    plans: { type: 'string', default: '30' },
    minutes: { type: 'string', default: '10' },
    pt: { type: 'string', default: join(ROOT, 'dist/bin/pt') },
    suite: { type: 'string', default: 'node scripts/test.ts' },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'deed-busy-'));
try {
  process.exitCode = run();
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function run(): number {
  // The suite rebuilds the executable, so the plans use a copy.
  const pt = join(folder, 'pt');
  copyFileSync(values.pt, pt);
  const result = join(folder, 'result.json');
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const script = new URL('busy-plans.ts', import.meta.url).pathname;
  const args = [script, folder, pt, result, values.plans, values.minutes, values.suite];
  const path = [join(ROOT, 'node_modules/.bin'), dirname(process.execPath), process.env.PATH].join(':');
  const { status } = spawnSync(
    'unshare',
    [
      ...user,
      '--fork',
      '--pid',
      '--mount-proc',
      '--kill-child',
      'bash',
      '-c',
      '"$@"; exit $?',
      'init',
      process.execPath,
      ...args,
    ],
    { cwd: ROOT, env: { ...process.env, PATH: path }, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  if (status !== 0) throw new Error(`the namespace ended with ${status}`);
  const { plans, actions, jobs } = JSON.parse(readFileSync(result, 'utf8')) as BusyResult;
  const scanned = plans.map((one) => one.scanned);
  const wrong = actions.filter(({ isOnPurpose }) => !isOnPurpose);
  console.log(
    `${plans.length} plans, ${Math.min(...scanned)} to ${Math.max(...scanned)} processes, ${wrong.length} automatic actions, and ${actions.length - wrong.length} on processes that the triage scenarios and the demo abandon`,
  );
  for (const { plan, action, pid, command, evidence } of wrong)
    console.log(`  plan ${plan}: ${action} ${pid} ${command}\n    ${evidence}`);
  for (const { name, starts, failures } of jobs)
    console.log(`  ${name}: started ${starts} times, failed ${failures} times`);
  // A build that fails at once does not count as load.
  if (jobs.some(({ name, failures }) => name !== 'suite' && failures > 0)) return 2;
  return wrong.length === 0 ? 0 : 1;
}
