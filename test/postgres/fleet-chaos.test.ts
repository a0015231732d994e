import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ItemRecord } from '../../src/work/fleet/item-record.ts';
import { createLinkedHost, type LinkedHost } from '../fixtures/cut-network.ts';
import { createFleetBench, type FleetBench, type Serving } from '../fixtures/fleet-bench.ts';
import { landedFiles, readItemHistories } from '../fixtures/item-history.ts';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { LONG } from '../fixtures/start-node.ts';
import { item } from '../fixtures/work-bench.ts';

/** `DEED_TEST_CHAOS=<items>` sets the size; kills, stops and partitions are in proportion. */
const ITEMS = Number(process.env.DEED_TEST_CHAOS ?? 200);
const KILLS = Math.ceil(ITEMS / 5);
const STOPS = Math.ceil((ITEMS * 12) / 200);
const PARTITIONS = Math.ceil((ITEMS * 3) / 200);
const WORKERS = 4;
const STOPPED_MS = 14_000;
const CUT_MS = 15_000;
const TAKEOVER_MS = 15_000;

/** A worker was disturbed at this time. */
interface Disturbance {
  readonly workerId: string;
  readonly kind: 'kill' | 'stop' | 'cut';
  readonly atMs: number;
}

/** A worker reported that it starts an attempt at an item. */
interface Start {
  readonly workerId: string;
  readonly itemId: string;
  readonly atMs: number;
}

/** A worker that is started again after it was killed. */
interface Station {
  readonly host: LinkedHost;
  readonly role: 'worker' | 'integrator';
  serving: Serving;
  isDisturbed: boolean;
}

describe.runIf(LONG && findPostgres() !== undefined)(
  'a fleet whose workers are killed, stopped and cut off',
  () => {
    let bench: FleetBench;
    const stations: Station[] = [];
    const disturbances: Disturbance[] = [];
    const starts: Start[] = [];
    const start = (host: LinkedHost, role: Station['role']): Serving => {
      const serving = host.start(role, 'start');
      serving.child.stderr?.on('data', (part: string) => {
        for (const [, itemId = ''] of part.matchAll(/(i\d+): attempt \d+ on/gu))
          starts.push({ workerId: workerIdOf(serving) ?? '', itemId, atMs: Date.now() });
      });
      return serving;
    };
    beforeAll(async () => {
      bench = createFleetBench();
      for (const name of [...Array.from({ length: WORKERS }, (_, index) => `w${index}`), 'i']) {
        const host = await createLinkedHost(bench, name);
        const role = name === 'i' ? 'integrator' : 'worker';
        stations.push({ host, role, serving: start(host, role), isDisturbed: false });
      }
    });
    afterAll(async () => {
      await bench.dispose();
      for (const { host } of stations) host.dispose();
    });

    it('lands every item exactly once and in order, and leaves nothing running', async () => {
      const plan = Array.from({ length: ITEMS }, (_, index) =>
        item(`i${index}`, `sleep 0.$((${index} % 7)); echo ${index} > i${index}.txt`, {
          dependencies: dependenciesOf(index),
          constraints: { max_files: 10, max_tool_ops: 50, max_delta_size: 100, timeout_ms: 120_000 },
        }),
      );
      const caller = bench.host('caller');
      const ended = new AbortController();
      const running = caller
        .writeAsync('work', 'run', caller.plan(plan), '--on', 'default')
        .finally(() => ended.abort());
      const [run] = await Promise.all([running, disturb(stations, ended.signal)]);
      expect(run.envelope.ok, run.stdout.slice(0, 4000)).toBe(true);

      const histories = readItemHistories(bench, (run.envelope.data as { job_id: string }).job_id);
      expect(histories.size).toBe(ITEMS);
      for (const [id, records] of histories) {
        expect(records.at(-1)?.step, id).toBe('promoted');
        expect(records.filter(({ step }) => step === 'promoted').length, id).toBe(1);
      }
      const names = landedFiles(bench).filter((name) => name.startsWith('i'));
      expect(names.toSorted()).toEqual(plan.map(({ id }) => `${String(id)}.txt`).toSorted());
      const place = new Map(names.map((name, index) => [name, index]));
      for (let index = 0; index < ITEMS; index += 1)
        for (const dependency of dependenciesOf(index))
          expect(place.get(`i${index}.txt`)).toBeGreaterThan(place.get(`${dependency}.txt`) as number);

      const takeovers = [...histories.keys()].flatMap(takeoverTimes).toSorted((a, b) => a - b);
      console.log(describeRun(takeovers, histories));
      expect(takeovers.length).toBeGreaterThan(0);
      expect(takeovers[Math.floor(takeovers.length / 2)]).toBeLessThanOrEqual(TAKEOVER_MS);

      for (const { serving } of stations) serving.child.kill('SIGTERM');
      await Promise.all(stations.map(({ serving }) => serving.ended));
      const ledger = bench.untrusted('audit').read('receipt', 'verify', '--ledger', '--exclusive').envelope;
      expect(ledger.data, JSON.stringify(ledger.error)).toMatchObject({ checked: ITEMS, valid: true });
      expect(await openEntries(bench.url)).toEqual([]);
      expect(processesOf(bench.folder)).toEqual([]);
    }, 5_400_000);

    /** Disturbs one process after another, at most two at a time, until all were disturbed as often as planned. */
    async function disturb(all: readonly Station[], signal: AbortSignal): Promise<void> {
      const kinds = shuffle([
        ...Array<'kill'>(KILLS).fill('kill'),
        ...Array<'stop'>(STOPS).fill('stop'),
        ...Array<'cut'>(PARTITIONS).fill('cut'),
      ]);
      const lasting = new Set<Promise<void>>();
      for (const kind of kinds) {
        await pause(1500 + 2500 * Math.random(), undefined, { signal }).catch(() => undefined);
        if (lasting.size >= 2) await Promise.race(lasting);
        if (signal.aborted) break;
        const free = all.filter(({ isDisturbed }) => !isDisturbed);
        const station = free[Math.floor(Math.random() * free.length)];
        if (station === undefined) continue;
        const lasts = disturbStation(station, kind).finally(() => lasting.delete(lasts));
        lasting.add(lasts);
      }
      await Promise.all(lasting);
      if (!signal.aborted) return;
      const counts = kinds.length - disturbances.length;
      if (counts > 0) console.log(`the job ended before ${counts} of ${kinds.length} disturbances`);
    }

    async function disturbStation(station: Station, kind: Disturbance['kind']): Promise<void> {
      const { host, role, serving } = station;
      const workerId = workerIdOf(serving);
      // It has not started yet.
      if (workerId === undefined) return disturbLater(station, kind);
      station.isDisturbed = true;
      disturbances.push({ workerId, kind, atMs: Date.now() });
      if (kind === 'kill') {
        serving.child.kill('SIGKILL');
        await serving.ended;
        station.serving = start(host, role);
      } else if (kind === 'stop') {
        serving.child.kill('SIGSTOP');
        await pause(STOPPED_MS);
        serving.child.kill('SIGCONT');
      } else {
        host.cut();
        await pause(CUT_MS);
        host.heal();
      }
      station.isDisturbed = false;
      return undefined;
    }

    async function disturbLater(station: Station, kind: Disturbance['kind']): Promise<void> {
      await pause(500);
      return disturbStation(station, kind);
    }

    /** How long the item was without a worker, each time that another one took it over. The claim of a lost first attempt is in no ref. */
    function takeoverTimes(itemId: string): number[] {
      const own = starts.filter((each) => each.itemId === itemId);
      return own.slice(1).flatMap(({ atMs }, index) => {
        const { workerId, atMs: startedMs } = own[index] as Start;
        const first = disturbances.find(
          (each) => each.workerId === workerId && each.atMs < atMs && each.atMs > startedMs,
        );
        return first === undefined ? [] : [atMs - first.atMs];
      });
    }

    function describeRun(
      takeovers: readonly number[],
      histories: ReadonlyMap<string, readonly ItemRecord[]>,
    ): string {
      const attempts = [...histories.values()].map((records) => records.at(-1)?.attempt ?? 0);
      const counts = (['kill', 'stop', 'cut'] as const).map(
        (kind) => `${disturbances.filter((each) => each.kind === kind).length} ${kind}`,
      );
      return (
        `${ITEMS} items, ${counts.join(', ')}; ${takeovers.length} takeovers, median ${takeovers[Math.floor(takeovers.length / 2)]} ms, ` +
        `longest ${takeovers.at(-1)} ms; most attempts ${Math.max(...attempts)}`
      );
    }
  },
);

/** Undefined if it has not started yet. */
function workerIdOf(serving: Serving): string | undefined {
  return /(?:worker|integrator) (\S+) serves/u.exec(serving.output())?.[1];
}

/** Four chains, and some links between them. */
function dependenciesOf(index: number): string[] {
  const chain = index < WORKERS ? [] : [`i${index - WORKERS}`];
  return index % 11 === 10 ? [...chain, `i${index - 7}`] : chain;
}

function shuffle<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ value }) => value);
}

/** The entries of the queue that have not ended, besides workers. */
async function openEntries(url: string): Promise<readonly unknown[]> {
  const { searchParams } = new URL(url);
  const client = new pg.Client({ host: searchParams.get('host') ?? '', user: 'owner', database: 'postgres' });
  await client.connect();
  const { rows } = await client.query(
    `SELECT name, state, data->'item'->>'id' AS item FROM ${searchParams.get('schema')}_queue.job
      WHERE state IN ('created', 'retry', 'active') AND name NOT LIKE 'deed.%'`,
  );
  await client.end();
  return rows;
}

/** Processes that work in a folder, or were started with a path in it. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const where = readlinkSync(`/proc/${pid}/cwd`);
        return command.includes(folder) || where.startsWith(folder) ? [`${pid} ${command}`] : [];
      } catch {
        return [];
      }
    });
}
