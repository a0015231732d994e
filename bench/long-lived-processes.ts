import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createFleetBench } from '../test/fixtures/fleet-bench.ts';
import {
  connectHttp,
  independentClient,
  startHttp,
  type IndependentClient,
} from '../test/fixtures/mcp-client.ts';
import { findPostgres, startPostgres } from '../test/fixtures/postgres-server.ts';
import { confirmed, deed, executable, startDeed, waitFor } from '../test/fixtures/run-deed.ts';
import { callWeb, signIn, startWeb } from '../test/fixtures/web-server.ts';
import { item } from '../test/fixtures/work-bench.ts';

/** Where the processes work, and for how long. */
export interface Place {
  readonly home: string;
  readonly cwd: string;
  readonly minutes: number;
}

export interface LongLived {
  readonly name: string;
  readonly pid: number;
  /** Called several times a second until the end. */
  readonly load: (round: number) => Promise<unknown>;
  readonly stop: () => Promise<unknown>;
}

/** What one loop may process. */
const MAX_TASKS = 1000;
/** How long a host of the fleet has nothing to do between two jobs. */
const BETWEEN_JOBS_MS = 5000;

export async function startServer({ home }: Place): Promise<LongLived> {
  const server = await startHttp(home, home);
  const connected = independentClient();
  await connectHttp(connected, server);
  return {
    name: 'mcp serve',
    pid: server.pid,
    load: (round) => callOverMcp(connected, round),
    stop: async () => {
      await connected.client.close();
      return server.stop();
    },
  };
}

/** Mostly reads, and a write in ten. */
async function callOverMcp({ call }: IndependentClient, round: number): Promise<unknown> {
  if (round % 10 === 0) {
    const params = { event: { kind: 'note', message: `round ${round}` }, agent: 'bench' };
    return call('call-write', { command: 'push', params, request_id: `bench-${round}` });
  }
  const reads = ['status', 'task list', 'resume', 'context', 'work list', 'doctor'];
  return call('call-read', { command: reads[round % reads.length], params: {} });
}

/** A browser that reads and writes, and pages that come and go while changes are sent. */
export async function startPages({ home }: Place): Promise<LongLived> {
  const server = await startWeb({ home, cwd: home });
  const cookie = await signIn(server);
  const reads = ['task list', 'events list', 'work list', 'agent sessions list', 'memory list'];
  return {
    name: 'web',
    pid: server.pid,
    load: async (round) => {
      if (round % 10 !== 0) return callWeb(server, cookie, { command: reads[round % reads.length] });
      const page = await fetch(`${server.url}/api/events`, { headers: { cookie } });
      const parameters = { title: `Round ${round}` };
      await callWeb(server, cookie, { command: 'task create', parameters, request_id: `web-${round}` });
      return page.body?.cancel();
    },
    stop: server.stop,
  };
}

export function startWatch(place: Place): LongLived {
  const argv = ['triage', 'watch', '--interval', '200ms', '--window', '50ms', '--compact'];
  return withoutLoad('triage watch', startDeed(argv, place));
}

/** Its agent completes each task. The queue has more tasks than it can process until the end. */
export function startLoop(place: Place): LongLived {
  const issues = Array.from({ length: MAX_TASKS }, (_, index) =>
    JSON.stringify({
      id: `bd-${index}`,
      title: `task ${index}`,
      status: 'open',
      priority: 2,
      issue_type: 'task',
    }),
  );
  const file = join(place.home, 'issues.jsonl');
  writeFileSync(file, `${issues.join('\n')}\n`);
  confirmed(['store', 'import', '--from', 'beads', file, '--project-id', place.home], place);
  const [vybe] = executable('vybe');
  const agent = join(place.home, 'agent.sh');
  const script = [
    '#!/bin/sh',
    'for last; do :; done',
    'prompt="${last#@}"',
    `id=$(grep -o -- '--id [^ ]*' "$prompt" | head -n 1 | cut -d ' ' -f 2)`,
    `sleep ${Math.max(0.1, (place.minutes * 60) / MAX_TASKS)}`,
    `exec '${vybe}' task complete --id "$id" --outcome done --summary x --agent looper --request-id "$id"`,
  ];
  writeFileSync(agent, `${script.join('\n')}\n`, { mode: 0o700 });
  const queue = ['--max-tasks', String(MAX_TASKS), '--cooldown', '0s', '--project-dir', place.home];
  const argv = ['loop', '--command', agent, '--agent', 'looper', ...queue];
  const { confirm_token: token } = deed([...argv, '--dry-run'], place).envelope.data;
  return withoutLoad('loop', startDeed([...argv, '--confirm', token as string], place));
}

function withoutLoad(name: string, child: ChildProcess): LongLived {
  let last = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer | string) => (last = (last + String(text)).slice(-2000)));
  const onEnd = (code: number | null, signal: string | null): void =>
    console.log(`${name} ended with ${code ?? signal}: ${last}`);
  child.once('exit', onEnd);
  return {
    name,
    pid: child.pid ?? 0,
    load: async () => undefined,
    stop: async () => {
      child.off('exit', onEnd);
      child.kill('SIGTERM');
      return waitFor(child);
    },
  };
}

/** A worker with items and one without, and the integrator that lands them. Empty without Postgres. */
export function startFleet(): readonly LongLived[] {
  if (findPostgres() === undefined) return [];
  const server = startPostgres();
  const bench = createFleetBench(undefined, server.urlOf('deed'));
  const caller = bench.host('caller');
  const start = (host: string, ...argv: string[]): LongLived =>
    withoutLoad(argv.join(' '), bench.host(host).start(...argv).child);
  const worker = start('busy', 'worker', 'start');
  const others = [start('idle', 'worker', 'start', '--queue', 'idle'), start('lands', 'integrator', 'start')];
  const load = async (round: number): Promise<void> => {
    const items = [0, 1].map((index) => item(`i${index}`, `echo ${round} > i${index}.txt`));
    const run = await caller.writeAsync('work', 'run', caller.plan(items), '--on', 'default');
    if (!run.envelope.ok) throw new Error(run.stdout);
    await delay(BETWEEN_JOBS_MS);
  };
  const stop = async (): Promise<void> => {
    await worker.stop();
    await bench.dispose();
    server.dispose();
  };
  return [...others, { ...worker, load, stop }];
}
