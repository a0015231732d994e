/** Runs inside a pid namespace: starts the test suite and two builds, and makes plans while they run. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../../scripts/build-constants.ts';
import { AUTOMATIC, type Candidate } from './observe.ts';

export interface BusyResult {
  readonly plans: readonly { readonly scanned: number }[];
  readonly actions: readonly {
    readonly plan: number;
    readonly action: string;
    readonly pid: number;
    readonly command: string;
    readonly evidence: string;
  }[];
  /** The test suite ran until the last plan without a restart. */
  readonly worked: boolean;
}

const [, , folder = '', pt = '', result = '', count = '30', minutes = '10'] = process.argv;
const IGNORED = new Set(['.git', 'node_modules', 'dist', '.cache']);

// Each works on its own copy of the source, so that they do not disturb each other nor the tree.
const jobs = [
  job('suite', ['node', 'scripts/test.ts']),
  job('build-1', ['node', 'scripts/build-executable.ts']),
  job('build-2', ['node', 'scripts/build-libraries.ts']),
];
const running = jobs.map((one) => ({ ...one, child: start(one), starts: 1 }));
const found: BusyResult['actions'][number][] = [];
const plans: BusyResult['plans'][number][] = [];
const pauseMs = (Number(minutes) * 60_000) / Number(count);
while (plans.length < Number(count)) {
  await sleep(pauseMs);
  for (const one of running)
    if (one.child.exitCode !== null) Object.assign(one, { child: start(one), starts: one.starts + 1 });
  makePlan();
}
const [suite] = running;
writeFileSync(
  result,
  JSON.stringify({ plans, actions: found, worked: suite?.starts === 1 } satisfies BusyResult),
);
process.exit(0);

function job(
  name: string,
  command: readonly string[],
): { readonly cwd: string; readonly command: readonly string[] } {
  const cwd = join(folder, name);
  cpSync(ROOT, cwd, {
    recursive: true,
    filter: (path) => !IGNORED.has(path.slice(ROOT.length).split('/')[0] ?? ''),
  });
  symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
  return { cwd, command };
}

function start({
  cwd,
  command,
}: {
  readonly cwd: string;
  readonly command: readonly string[];
}): ChildProcess {
  return spawn(command[0] ?? '', command.slice(1), { cwd, detached: true, stdio: 'ignore' });
}

function makePlan(): void {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const { stdout, stderr } = spawnSync(pt, ['agent', 'plan', '--limit', '1000', '--format', 'json'], {
    env: { PATH: process.env.PATH, HOME: home },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (stdout === '') throw new Error(`pt agent plan: ${stderr}`);
  const { candidates, summary } = JSON.parse(stdout) as {
    candidates: Candidate[];
    summary: { total_scanned: number };
  };
  plans.push({ scanned: summary.total_scanned });
  for (const one of candidates) {
    const { pid, recommended_action: action, cmd_full: command = '', action_rationale: evidence } = one;
    if (AUTOMATIC.has(action))
      found.push({ plan: plans.length, action, pid, command: command.slice(0, 200), evidence });
  }
}
