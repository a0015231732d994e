/**
 * Measures memory and descriptors of the long-lived processes, under load: node bench/long-lived.ts [minutes]
 * Prints a line for each minute with the least memory in it, which is what stays when garbage is collected, and at the end the growth in the
 * second half. Exits 1 when it is more than 1 MB or one descriptor, or when a process ends. The first process of a PID namespace must reap
 * orphans, as an init does: otherwise they stay, and `triage watch` grows with them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createHome } from '../test/fixtures/run-deed.ts';
import { startFleet, startLoop, startPages, startServer, startWatch } from './long-lived-processes.ts';
import { median } from './measure.ts';

const MAX_GROWTH_KB = 1024;
/** Calls per second that each process is asked for. */
const RATE = 5;
const minutes = Number(process.argv[2] ?? '120');

interface Sample {
  /** What the process allocated. Pages of the executable that it has touched are shared, and the kernel can drop them. */
  readonly kilobytes: number;
  readonly fileKilobytes: number;
  readonly descriptors: number;
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
  const quarter = Math.max(1, Math.floor(half.length / 4));
  const growth = (pick: (sample: Sample) => number): number =>
    median(half.slice(-quarter).map(pick)) - median(half.slice(0, quarter).map(pick));
  const kilobytes = growth((sample) => sample.kilobytes);
  const descriptors = growth((sample) => sample.descriptors);
  console.log(`${name}: ${kilobytes} kB and ${descriptors} descriptors in the second half`);
  return kilobytes <= MAX_GROWTH_KB && descriptors <= 1;
}

const SAMPLES = 10;

/** Waits, and returns the smallest sample of each process. */
async function leastOf(ms: number): Promise<ReadonlyMap<number, Sample>> {
  const least = new Map<number, Sample>();
  for (let count = 0; count < SAMPLES; count += 1) {
    await delay(ms / SAMPLES);
    for (const { pid } of processes) {
      const taken = sample(pid);
      if (taken.kilobytes <= (least.get(pid)?.kilobytes ?? Infinity)) least.set(pid, taken);
    }
  }
  return least;
}

const home = createHome();
const place = { home: home.path, cwd: home.path, minutes };
// The servers come last: they close a connection that is not used for seconds.
const processes = [
  ...startFleet(),
  startWatch(place),
  startLoop(place),
  await startServer(place),
  await startPages(place),
];
const until = performance.now() + minutes * 60_000;
const samples = new Map(processes.map(({ name }) => [name, [] as Sample[]]));
const loads = processes.map(async ({ load }) => {
  for (let round = 0; performance.now() < until; round += 1) {
    await load(round);
    await delay(1000 / RATE);
  }
});
while (performance.now() < until) {
  const taken = await leastOf(Math.min(60_000, minutes * 6000));
  const line = processes.map(({ name, pid }) => {
    const least = taken.get(pid) ?? sample(pid);
    samples.get(name)?.push(least);
    return `${name} ${least.kilobytes} kB (files ${least.fileKilobytes} kB) ${least.descriptors} fds`;
  });
  console.log(line.join(', '));
}
await Promise.all(loads);
for (const { stop } of processes) await stop();
home.dispose();
const flat = [...samples].map(([name, taken]) => report(name, taken));
process.exitCode = flat.every(Boolean) ? 0 : 1;
