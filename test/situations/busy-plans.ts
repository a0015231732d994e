/** Runs inside a pid namespace: starts the test suite and two builds, and makes plans while they run. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../../scripts/build-constants.ts';
import { DEMO_MARK } from '../../src/app/demo/create-environment.ts';
import { HOST_PREFIX } from '../scenarios/scenario-host.ts';
import { AUTOMATIC, type Candidate } from './observe.ts';

export interface BusyResult {
  readonly plans: readonly { readonly scanned: number }[];
  readonly actions: readonly {
    readonly plan: number;
    readonly action: string;
    readonly pid: number;
    readonly command: string;
    readonly evidence: string;
    /** Whether it was abandoned on purpose, by the triage scenarios or the demo. */
    readonly isOnPurpose: boolean;
  }[];
  /** How often each was started, and how often it failed. */
  readonly jobs: readonly { readonly name: string; readonly starts: number; readonly failures: number }[];
}

const [, , folder = '', pt = '', result = '', count = '30', minutes = '10', suite = ''] = process.argv;
const IGNORED = new Set(['.git', 'node_modules', 'dist', '.cache']);

// Each works on its own copy of the source, so that they do not disturb each other nor the tree.
const jobs = [
  job('suite', suite.split(' ')),
  job('build-1', ['node', 'scripts/build-executable.ts']),
  job('build-2', ['node', 'scripts/build-libraries.ts']),
];
const running = jobs.map((one) => ({ ...one, child: start(one), starts: 1, failures: 0 }));
const found: BusyResult['actions'][number][] = [];
const plans: BusyResult['plans'][number][] = [];
const pauseMs = (Number(minutes) * 60_000) / Number(count);
while (plans.length < Number(count)) {
  await sleep(pauseMs);
  for (const one of running) restartEnded(one);
  makePlan();
}
const jobResults = running.map(({ name, starts, failures }) => ({ name, starts, failures }));
writeFileSync(result, JSON.stringify({ plans, actions: found, jobs: jobResults } satisfies BusyResult));
process.exit(0);

interface Job {
  readonly name: string;
  readonly cwd: string;
  readonly command: readonly string[];
}

function job(name: string, command: readonly string[]): Job {
  const cwd = join(folder, name);
  cpSync(ROOT, cwd, {
    recursive: true,
    filter: (path) => !IGNORED.has(path.slice(ROOT.length).split('/')[0] ?? ''),
  });
  symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
  return { name, cwd, command };
}

function restartEnded(one: Job & { child: ChildProcess; starts: number; failures: number }): void {
  if (one.child.exitCode === null) return;
  one.failures += one.child.exitCode === 0 ? 0 : 1;
  one.starts += 1;
  one.child = start(one);
}

function start({ cwd, command }: Job): ChildProcess {
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
      found.push({
        plan: plans.length,
        action,
        pid,
        command: command.slice(0, 200),
        evidence,
        isOnPurpose: folderOf(pid).includes(HOST_PREFIX) || environmentOf(pid).includes(DEMO_MARK),
      });
  }
}

/** The working folder of a process; empty when it has exited. */
function folderOf(pid: number): string {
  return orEmpty(() => readlinkSync(`/proc/${pid}/cwd`));
}

/** The environment of a process; empty when it has exited. */
function environmentOf(pid: number): string {
  return orEmpty(() => readFileSync(`/proc/${pid}/environ`, 'utf8'));
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
