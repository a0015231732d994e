/**
 * Measures memory and descriptors of the processes that live long, under load: node bench/long-lived.ts [minutes]
 * Prints a line for each minute, and at the end the growth in the second half. Exits 1 when it is more than 1 MB or one descriptor, or
 * when a process ends.
 */
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  connectHttp,
  independentClient,
  startHttp,
  type IndependentClient,
} from '../test/fixtures/mcp-client.ts';
import { confirmed, createHome, deed, executable, startDeed, waitFor } from '../test/fixtures/run-deed.ts';
import { callWeb, signIn, startWeb } from '../test/fixtures/web-server.ts';
import { median } from './measure.ts';

const MAX_GROWTH_KB = 1024;
/** Calls per second that each process is asked for. */
const RATE = 5;
/** What one loop may process. */
const MAX_TASKS = 1000;
const minutes = Number(process.argv[2] ?? '120');
const until = performance.now() + minutes * 60_000;
const home = createHome();
const place = { home: home.path, cwd: home.path };

interface Sample {
  /** What the process allocated. Pages of the executable that it has touched are shared, and the kernel can drop them. */
  readonly kilobytes: number;
  readonly fileKilobytes: number;
  readonly descriptors: number;
}

interface LongLived {
  readonly name: string;
  readonly pid: number;
  /** Called at the rate above until the end. */
  readonly load: (round: number) => Promise<unknown>;
  readonly stop: () => Promise<unknown>;
}

async function startServer(): Promise<LongLived> {
  const server = await startHttp(home.path, home.path);
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

/** Mostly reads, a write in ten, and now and then a client that connects, asks and leaves. */
async function callOverMcp({ call }: IndependentClient, round: number): Promise<unknown> {
  if (round % 10 === 0) {
    const params = { event: { kind: 'note', message: `round ${round}` }, agent: 'bench' };
    return call('call-write', { command: 'push', params, request_id: `bench-${round}` });
  }
  const reads = ['status', 'task list', 'resume', 'context', 'work list', 'doctor'];
  return call('call-read', { command: reads[round % reads.length], params: {} });
}

/** A browser that reads and writes, and pages that come and go while changes are sent. */
async function startPages(): Promise<LongLived> {
  const server = await startWeb({ home: home.path, cwd: home.path });
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

function startWatch(): LongLived {
  const argv = ['triage', 'watch', '--interval', '200ms', '--window', '50ms', '--compact'];
  const child = startDeed(argv, place);
  reportEnd('triage watch', child);
  return {
    name: 'triage watch',
    pid: child.pid ?? 0,
    load: async () => undefined,
    stop: async () => {
      child.kill('SIGTERM');
      return waitFor(child);
    },
  };
}

/** Its agent completes each task. The queue has more tasks than it can process until the end. */
function startLoop(): LongLived {
  const issues = Array.from({ length: MAX_TASKS }, (_, index) =>
    JSON.stringify({
      id: `bd-${index}`,
      title: `task ${index}`,
      status: 'open',
      priority: 2,
      issue_type: 'task',
    }),
  );
  const file = join(home.path, 'issues.jsonl');
  writeFileSync(file, `${issues.join('\n')}\n`);
  confirmed(['store', 'import', '--from', 'beads', file, '--project-id', home.path], place);
  const [vybe] = executable('vybe');
  const agent = join(home.path, 'agent.sh');
  const script = [
    '#!/bin/sh',
    'for last; do :; done',
    'prompt="${last#@}"',
    `id=$(grep -o -- '--id [^ ]*' "$prompt" | head -n 1 | cut -d ' ' -f 2)`,
    `sleep ${Math.max(0.1, (minutes * 60) / MAX_TASKS)}`,
    `exec '${vybe}' task complete --id "$id" --outcome done --summary x --agent looper --request-id "$id"`,
  ];
  writeFileSync(agent, `${script.join('\n')}\n`, { mode: 0o700 });
  const queue = ['--max-tasks', String(MAX_TASKS), '--cooldown', '0s', '--project-dir', home.path];
  const argv = ['loop', '--command', agent, '--agent', 'looper', ...queue];
  const { confirm_token: token } = deed([...argv, '--dry-run'], place).envelope.data;
  const child = startDeed([...argv, '--confirm', token as string], place);
  reportEnd('loop', child);
  return {
    name: 'loop',
    pid: child.pid ?? 0,
    load: async () => undefined,
    stop: async () => {
      child.kill('SIGTERM');
      return waitFor(child);
    },
  };
}

/** Prints the last output of a process that ends before it is stopped. */
function reportEnd(name: string, child: ChildProcess): void {
  let last = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer) => (last = (last + text.toString()).slice(-2000)));
  child.once('exit', (code, signal) => {
    if (performance.now() < until) console.log(`${name} ended with ${code ?? signal}: ${last}`);
  });
}

function sample(pid: number): Sample {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const kilobytesOf = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'mu').exec(status)?.[1]);
  return {
    kilobytes: kilobytesOf('RssAnon'),
    fileKilobytes: kilobytesOf('RssFile'),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}

function report(name: string, samples: readonly Sample[]): boolean {
  const half = samples.slice(samples.length >> 1);
  const third = Math.max(1, Math.floor(half.length / 4));
  const growth = (pick: (one: Sample) => number): number =>
    median(half.slice(-third).map(pick)) - median(half.slice(0, third).map(pick));
  const kilobytes = growth((one) => one.kilobytes);
  const descriptors = growth((one) => one.descriptors);
  console.log(`${name}: ${kilobytes} kB and ${descriptors} descriptors in the second half`);
  return kilobytes <= MAX_GROWTH_KB && descriptors <= 1;
}

const processes = [await startServer(), await startPages(), startWatch(), startLoop()];
const samples = new Map(processes.map(({ name }) => [name, [] as Sample[]]));
const loads = processes.map(async ({ load }) => {
  for (let round = 0; performance.now() < until; round += 1) {
    await load(round);
    await delay(1000 / RATE);
  }
});
while (performance.now() < until) {
  await delay(Math.min(60_000, minutes * 6000));
  const line = processes.map(({ name, pid }) => {
    const taken = sample(pid);
    samples.get(name)?.push(taken);
    return `${name} ${taken.kilobytes} kB (files ${taken.fileKilobytes} kB) ${taken.descriptors} fds`;
  });
  console.log(line.join(', '));
}
await Promise.all(loads);
for (const { stop } of processes) await stop();
home.dispose();
const flat = [...samples].map(([name, taken]) => report(name, taken));
process.exitCode = flat.every(Boolean) ? 0 : 1;
