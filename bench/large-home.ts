/**
 * Times calls of the executable on a home that fill-large-home.ts filled, in seconds and megabytes of memory:
 * node bench/large-home.ts <home> [executable]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [home = '', executable = 'dist/bin/deed'] = process.argv.slice(2);
const exported = join(home, 'export.ndjson');
const imported = join(home, 'imported.db');

interface Timed {
  readonly seconds: number;
  readonly megabytes: number;
  readonly reply: { readonly ok: boolean; readonly data?: { readonly confirm_token?: string } };
}

function call(...args: readonly string[]): Timed {
  const started = performance.now();
  const { stdout, stderr } = spawnSync('/usr/bin/time', ['-f', '%M', executable, ...args], {
    env: { ...process.env, DEED_HOME: home, XDG_DATA_HOME: join(home, 'data') },
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  const seconds = (performance.now() - started) / 1000;
  const megabytes = Number(stderr.trim().split('\n').at(-1)) / 1024;
  return { seconds, megabytes, reply: JSON.parse(stdout) as Timed['reply'] };
}

function time(name: string, ...args: readonly string[]): void {
  const { seconds, megabytes, reply } = call(...args);
  const state = reply.ok ? '' : `  failed: ${JSON.stringify(reply)}`;
  console.log(
    `${name.padEnd(36)} ${seconds.toFixed(2).padStart(8)} s ${megabytes.toFixed(0).padStart(6)} MB${state}`,
  );
}

function timeWrite(name: string, ...args: readonly string[]): void {
  const token = call(...args, '--dry-run').reply.data?.confirm_token ?? '';
  time(name, ...args, '--confirm', token);
}

/** The median of a call that is made often. */
function timeOften(name: string, argv: (round: number) => readonly string[]): void {
  const vybe = join(dirname(executable), 'vybe');
  const env = { ...process.env, DEED_HOME: home, VYBE_DB_PATH: join(home, 'deed.db') };
  const times = Array.from({ length: ROUNDS }, (_, round) => {
    const started = performance.now();
    const { status, stdout } = spawnSync(vybe, argv(round), { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${name} failed: ${stdout}`);
    return performance.now() - started;
  });
  const median = times.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0;
  console.log(`${name.padEnd(36)} ${(median / 1000).toFixed(3).padStart(8)} s`);
}

const ROUNDS = 15;
const EVENT = JSON.stringify({ event: { kind: 'note', message: 'measured' } });

rmSync(exported, { force: true });
for (const suffix of ['', '-wal', '-shm']) rmSync(`${imported}${suffix}`, { force: true });
timeWrite('store upgrade', 'store', 'upgrade');
timeOften('push', (round) => [
  ...'push --agent bench --request-id'.split(' '),
  `push-${process.pid}-${round}`,
  '--json',
  EVENT,
]);
timeOften('resume', (round) => [
  ...'resume --agent bench --request-id'.split(' '),
  `resume-${process.pid}-${round}`,
]);
timeOften('task next', () => ['task', 'next', '--agent', 'bench']);
time('doctor', 'doctor');
time('store check', 'store', 'check');
time('store check --quick', 'store', 'check', '--quick');
time('status', 'status');
time('events list --kind (rare)', 'events', 'list', '--all', '--kind', 'rare_kind');
time('events list --kind (absent)', 'events', 'list', '--all', '--kind', 'no_such_kind');
time('memory search (common word)', 'memory', 'search', '--query', 'service deploys option');
timeWrite('gated write', 'config', 'set', '--key', 'list.limit', '--value', '40');
timeWrite('store export', 'store', 'export', '--to', exported);
timeWrite('store import', 'store', 'import', '--from', exported, '--db-path', imported);
time('gc --dry-run', 'gc', '--dry-run');
timeWrite('store vacuum', 'store', 'vacuum');
if (existsSync(join(home, 'audit/head.json'))) {
  rmSync(join(home, 'audit/head.json'));
  time('first call without an audit head', 'context');
}
