/** Runs inside a pid namespace: one plan over all targets, one change for each, one apply; writes what happened to each target. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { targetOf, type Change } from './between-targets.ts';
import { AGES, openAgeFake } from './fake-age.ts';
import { findProcesses, readTracked } from './find-processes.ts';
import { startSituation } from './start-situation.ts';

export interface ChangeResult {
  readonly change: Change;
  /** What the plan proposed for the target. */
  readonly planned: string | null;
  /** What the apply reported. */
  readonly outcomes: readonly { readonly outcome: string; readonly reason: string }[];
  readonly alive: boolean;
}

interface Applied {
  readonly results?: readonly { target: { pid: number }; outcome: string; reason?: string }[];
  readonly error?: { readonly code: string; readonly message: string };
}

const [, , folder = '', pt = '', result = '', list = ''] = process.argv;
const changes = list.split(',') as Change[];

const owner = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
await sleep(100);
spawn('Xvfb', [':77', '-screen', '0', '320x200x24'], { stdio: 'ignore' }).on('error', () => {});
const env = {
  PATH: process.env.PATH ?? '',
  PROGRAMS: new URL('programs', import.meta.url).pathname,
  OWNER_PORT: String((owner.address() as AddressInfo).port),
};
for (const [index, change] of changes.entries()) {
  const problem = await startSituation(targetOf(change), { folder, env, port: 20_000 + index * 10 });
  if (problem !== undefined) throw new Error(`${change}: ${problem}`);
}
await sleep(2000);
openAgeFake(folder).set(AGES['2 days']);
mkdirSync(join(folder, 'home'));
const plan = call(['plan', '--window', '1s', '--limit', '1000']) as {
  session_id: string;
  candidates: { pid: number; recommended_action: string }[];
};
for (const change of changes) await make(change);
const applied = call([
  'apply',
  '--session',
  plan.session_id,
  '--recommended',
  '--yes',
  '--grace',
  '2s',
]) as Applied;
await sleep(500);
writeFileSync(result, JSON.stringify(changes.map(judge)));
process.exit(0);

function call(args: readonly string[]): unknown {
  const { stdout, stderr } = spawnSync(pt, ['agent', ...args, '--format', 'json'], {
    env: { PATH: process.env.PATH, HOME: join(folder, 'home') },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (stdout === '') throw new Error(`pt agent ${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Makes the change and waits until it is real. */
async function make(change: Change): Promise<void> {
  if (change === 'nothing') return;
  const dir = join(folder, change);
  writeFileSync(join(dir, 'control'), `${change} ${dir}`);
  const name = change === 'parent' ? 'wrapper' : 'server';
  const pid = readTracked(folder, change).find((one) => one.name === name)?.pid ?? 0;
  process.kill(pid, 'SIGUSR2');
  await appears(join(dir, 'acted'));
  if (change !== 'client') return;
  await appears(join(dir, 'port'));
  const client = connect(Number(readFileSync(join(dir, 'port'), 'utf8')), '127.0.0.1');
  await new Promise((resolve) => client.once('connect', resolve));
}

async function appears(file: string): Promise<void> {
  for (let tries = 0; !existsSync(file); tries += 1) {
    if (tries > 400) throw new Error(`${file} never appeared`);
    await sleep(50);
  }
}

function judge(change: Change): ChangeResult {
  const pids = readTracked(folder, change).map(({ pid }) => pid);
  const running = new Map(findProcesses(folder).map(({ pid, state }) => [pid, state]));
  const outcomes = (applied.results ?? [])
    .filter(({ target }) => pids.includes(target.pid))
    .map(({ outcome, reason = '' }) => ({ outcome, reason }));
  const refused =
    applied.error === undefined ? [] : [{ outcome: applied.error.code, reason: applied.error.message }];
  return {
    change,
    planned: plan.candidates.find(({ pid }) => pids.includes(pid))?.recommended_action ?? null,
    outcomes: outcomes.length === 0 ? refused : outcomes,
    alive: pids.every((pid) => !['Z', 'X', undefined].includes(running.get(pid))),
  };
}
