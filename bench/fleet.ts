import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFleetBench, type FleetHost } from '../test/fixtures/fleet-bench.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../test/fixtures/postgres-server.ts';
import { createBench, item } from '../test/fixtures/work-bench.ts';
import { medianOf, ratioOf } from './measure.ts';
import type { Report } from './report.ts';

const ITEMS = 24;
const WARM_ITEMS = 8;
const ROUNDS = 5;
const TICK_MS = 10;
/** The workers start together, so their surveys end together. */
const SURVEY_MS = 3000;
const BRANCH = 'one machine, one commit for each item: work run --jobs 2 --branch';
const TREE = 'one machine, files only: work run --jobs 2';
const FLEET = 'a fleet: two workers, an integrator, the caller and Postgres';

/**
 * The processor time of an item on one machine and over a queue, promotion included. A fleet lands each item as a commit on a branch, so it
 * is compared with a run that does the same; a run that only changes files is shown too. What runs inside a sandbox is not part of
 * it: the kernel does not add it to the process that started the sandbox, and it is the same in all of them. Empty without Postgres.
 */
export async function fleetOverhead(): Promise<readonly Report[]> {
  if (findPostgres() === undefined) return [];
  const cases = new Map([
    [BRANCH, () => measureAlone('--branch', 'landing')],
    [TREE, () => measureAlone()],
    [FLEET, measureFleet],
  ]);
  const times = new Map([...cases.keys()].map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, measure] of cases) times.get(name)?.push(await measure());
  // Each round is compared with itself: on a busy machine, the same work costs more in some minutes than in others.
  const row = (name: string) => ({
    name,
    milliseconds: medianOf(times, name),
    ratio: ratioOf(times, name, BRANCH),
  });
  return [
    {
      title: 'An item over a queue',
      note: `Processor time of all processes per item, without its agent; ${ITEMS} items in two chains, ${ROUNDS} rounds in turn, each compared with itself.`,
      rows: [row(BRANCH), row(TREE), row(FLEET)],
    },
  ];
}

/** Two chains: two workers are busy, and every second result finds that the branch has moved. */
function plan(): Record<string, unknown>[] {
  return Array.from({ length: ITEMS }, (_, index) =>
    item(`i${index}`, `echo ${index} > i${index}.txt`, {
      dependencies: index < 2 ? [] : [`i${index - 2}`],
    }),
  );
}

async function measureAlone(...flags: string[]): Promise<number> {
  const bench = createBench();
  try {
    bench.git('config', 'user.name', 'bench');
    bench.git('config', 'user.email', 'bench@example.org');
    const before = childrenMs();
    const run = await bench.workAsync(plan(), '--jobs', '2', ...flags);
    if (!run.envelope.ok) throw new Error(run.stdout);
    return (childrenMs() - before) / ITEMS;
  } finally {
    bench.dispose();
  }
}

/** The workers have started and run items before, as on a host that runs items all day. */
async function measureFleet(): Promise<number> {
  const server = startPostgres();
  const bench = createFleetBench(undefined, server.urlOf('deed'));
  try {
    // As docs/fleet.md recommends for a remote on your host.
    bench.git('config', 'receive.autoGC', 'false');
    const caller = bench.host('caller');
    const serving = [
      bench.host('one').start('worker', 'start'),
      bench.host('two').start('worker', 'start'),
      bench.host('lands').start('integrator', 'start'),
    ];
    const started = await caller.writeAsync(
      'work',
      'run',
      caller.plan(Array.from({ length: WARM_ITEMS }, (_, index) => item(`warm${index}`, 'true'))),
      '--on',
      'default',
    );
    if (!started.envelope.ok) throw new Error(started.stdout);
    await waitForSurveys(caller);
    const before = childrenMs() + serverMs(server) + sum(serving.map(({ child }) => processMs(child.pid)));
    const run = await caller.writeAsync('work', 'run', caller.plan(plan()), '--on', 'default');
    if (!run.envelope.ok) throw new Error(run.stdout);
    const after = childrenMs() + serverMs(server) + sum(serving.map(({ child }) => processMs(child.pid)));
    return (after - before) / ITEMS;
  } finally {
    await bench.dispose();
    server.dispose();
  }
}

/** Waits until each worker has sent its host report: the survey for it runs every five minutes and takes as much time as several items. */
async function waitForSurveys(host: FleetHost): Promise<void> {
  while (host.read('triage', 'fleet').envelope.data.count === 0) await sleep(500);
  await sleep(SURVEY_MS);
}

/** The processor time of this process's children that have ended, with their own children. */
function childrenMs(): number {
  const [, , children, childrenOfKernel] = timesOf('self');
  return (children + childrenOfKernel) * TICK_MS;
}

/** The processor time of a process and of its children that have ended. */
function processMs(pid: number | undefined): number {
  return sum(timesOf(String(pid))) * TICK_MS;
}

/** The processor time of the server: its first process, and the connections that are open. */
function serverMs({ folder }: PostgresServer): number {
  const [pid = ''] = readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n', 1);
  const connections = readdirSync('/proc').filter((name) => /^\d+$/u.test(name) && fieldsOf(name)[1] === pid);
  return processMs(Number(pid)) + sum(connections.map((name) => processMs(Number(name))));
}

function timesOf(pid: string): [number, number, number, number] {
  return fieldsOf(pid).slice(11, 15).map(Number) as [number, number, number, number];
}

/** The fields of `/proc/<pid>/stat` after the name, which may contain spaces. */
function fieldsOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
