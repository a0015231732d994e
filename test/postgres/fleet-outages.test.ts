import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createFleetBench, type FleetBench, type Serving } from '../fixtures/fleet-bench.ts';
import { landedFiles, readItemHistories } from '../fixtures/item-history.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../fixtures/postgres-server.ts';
import { LONG } from '../fixtures/start-node.ts';
import { item } from '../fixtures/work-bench.ts';

const ITEMS = 16;
const isRoot = process.getuid?.() === 0;

let server: PostgresServer | undefined;
let bench: FleetBench | undefined;
afterEach(async () => {
  await bench?.dispose();
  server?.dispose();
  server = undefined;
});

describe.runIf(LONG && findPostgres() !== undefined)('a fleet without its database or its remote', () => {
  it('continues when Postgres is back, twice, and lands every item once', async () => {
    server = startPostgres();
    const database = server;
    const serving = await landAll(createFleetBench(undefined, server.urlOf('deed')), async () => {
      for (const mode of ['fast', 'immediate'] as const) {
        await pause(4000);
        database.stop(mode);
        await pause(4000);
        database.start();
      }
    });
    expect(outputOf(serving)).toMatch(
      /cannot read the queue: The database \S+ (?:has no socket|does not accept|closed|is starting)/u,
    );
  }, 600_000);

  it.skipIf(!isRoot)(
    'continues when the disk of Postgres has space again, and lands every item once',
    async () => {
      const mountPoint = mkdtempSync(join(tmpdir(), 'pg-disk-'));
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200m,mode=777', 'tmpfs', mountPoint]);
      try {
        const folder = join(mountPoint, 'server');
        mkdirSync(folder);
        chmodSync(folder, 0o777);
        server = startPostgres(folder, ['min_wal_size=64MB', 'max_wal_size=64MB', 'shared_buffers=16MB']);
        const database = server;
        const filler = join(mountPoint, 'filler');
        const serving = await landAll(createFleetBench(undefined, server.urlOf('deed')), async () => {
          await pause(3000);
          execFileSync('sh', ['-c', `dd if=/dev/zero of=${filler} bs=64k 2>/dev/null || true`]);
          // Nothing can be written from now on, neither to the tables nor to the log.
          await pause(20_000);
          rmSync(filler);
          // A server that cannot write its log stops; its own supervisor starts it again.
          if (!existsSync(join(database.folder, 'data/postmaster.pid'))) database.start();
        });
        expect(outputOf(serving)).not.toContain('E_UNKNOWN');
        await bench?.dispose();
        server.dispose();
        server = undefined;
      } finally {
        server?.dispose();
        server = undefined;
        execFileSync('umount', ['-l', mountPoint]);
        rmSync(mountPoint, { recursive: true });
      }
    },
    600_000,
  );

  it('continues after a minute without the remote, and lands every item once', async () => {
    const here = createFleetBench();
    const away = `${here.remote}.away`;
    const serving = await landAll(here, async () => {
      await pause(3000);
      renameSync(here.remote, away);
      await pause(60_000);
      renameSync(away, here.remote);
    });
    expect(outputOf(serving)).toContain('The git remote cannot be used');
  }, 600_000);

  /** Runs items in chains over two workers during an outage; each item is promoted once, after those it depends on. */
  async function landAll(here: FleetBench, disturb: () => Promise<void>): Promise<readonly Serving[]> {
    bench = here;
    const caller = here.host('caller');
    const serving = [
      here.host('one').start('worker', 'start'),
      here.host('two').start('worker', 'start'),
      here.host('lands').start('integrator', 'start'),
    ];
    const plan = Array.from({ length: ITEMS }, (_, index) =>
      item(`i${index}`, `sleep 0.5; echo ${index} > i${index}.txt`, {
        dependencies: index < 2 ? [] : [`i${index - 2}`],
      }),
    );
    const running = caller.writeAsync('work', 'run', caller.plan(plan), '--on', 'default', '--detach');
    const run = await running;
    expect(run.envelope.ok, run.stdout).toBe(true);
    const { job_id: jobId } = run.envelope.data as { job_id: string };
    await disturb();
    const deadline = Date.now() + 300_000;
    const status = (): string =>
      (caller.read('work', 'status', jobId).envelope.data as { status: string }).status;
    while (!['succeeded', 'failed'].includes(status()) && Date.now() < deadline) await pause(1000);
    expect(status(), outputOf(serving)).toBe('succeeded');
    const names = landedFiles(here).filter((name) => name.startsWith('i'));
    expect(names.toSorted()).toEqual(plan.map(({ id }) => `${String(id)}.txt`).toSorted());
    for (let index = 2; index < ITEMS; index += 1)
      expect(names.indexOf(`i${index}.txt`)).toBeGreaterThan(names.indexOf(`i${index - 2}.txt`));
    for (const [id, records] of readItemHistories(here, jobId))
      expect(records.filter(({ step }) => step === 'promoted').length, id).toBe(1);
    const tasks = caller.read('task', 'list', '--limit', '100').envelope.data as {
      items: { status: string }[];
    };
    expect(tasks.items.map((task) => task.status)).toEqual(Array<string>(ITEMS).fill('completed'));
    for (const each of serving) each.child.kill('SIGTERM');
    expect((await Promise.all(serving.map(({ ended }) => ended))).map(({ code }) => code)).toEqual([
      130, 130, 130,
    ]);
    return serving;
  }
});

function outputOf(serving: readonly Serving[]): string {
  return serving.map(({ output }) => output()).join('\n');
}
