import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/continuity/database/database.ts';
import { openPostgres } from '../../src/continuity/database/postgres/open-postgres.ts';
import { countEvents } from '../../src/continuity/database/queries/events.ts';
import { findPostgres, startPostgres, type PostgresServer } from '../fixtures/postgres-server.ts';
import { runWriters } from '../fixtures/postgres-writers.ts';
import { pushEvent, pushEvents } from '../fixtures/push-events.ts';

const LONG = process.env.DEED_TEST_LONG !== undefined;
const isRoot = process.getuid?.() === 0;

let server: PostgresServer | undefined;
afterEach(() => server?.dispose());

async function totalEvents(database: Database): Promise<number> {
  return (await database.first(countEvents, {}))?.total ?? 0;
}

describe.skipIf(findPostgres() === undefined)('a Postgres server', () => {
  it.runIf(LONG)('that restarts while clients write loses nothing and stores nothing twice', async () => {
    server = startPostgres();
    const url = server.urlOf('deed');
    const database = openPostgres(url);
    await pushEvent(database, 'a', 'first');
    const events = LONG ? 500 : 40;
    const writing = runWriters(url, { processes: 2, writers: 3, events });
    for (const mode of ['fast', 'immediate'] as const) {
      await sleep(LONG ? 3000 : 700);
      server.stop(mode);
      await sleep(200);
      server.start();
    }
    const codes = (await writing).flat();
    expect(codes.filter((code) => code !== 'E_NETWORK unreachable')).toEqual([]);
    expect(await totalEvents(database)).toBe(6 * events + 1);
    expect(await database.check()).toEqual([]);
  });

  it('that is down is reported with a code and a hint', async () => {
    server = startPostgres();
    const database = openPostgres(server.urlOf('deed'), { busyTimeoutMs: 300 });
    await pushEvent(database, 'a', 'first');
    server.stop();
    const expected = {
      code: 'E_NETWORK',
      details: { reason: 'unreachable' },
      hint: expect.stringContaining('same request id') as string,
    };
    await expect(pushEvent(database, 'a', 'second')).rejects.toMatchObject(expected);
    await expect(totalEvents(database)).rejects.toMatchObject(expected);
    server.start();
    await pushEvent(database, 'a', 'second');
    expect(await totalEvents(database)).toBe(2);
  });

  it.runIf(LONG && isRoot)(
    'with a full disk rejects writes clearly, and continues when there is space again',
    async () => {
      const mountPoint = mkdtempSync(join(tmpdir(), 'pg-disk-'));
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m,mode=777', 'tmpfs', mountPoint]);
      try {
        const folder = join(mountPoint, 'server');
        mkdirSync(folder);
        chmodSync(folder, 0o777);
        // The log has its space already, so only the tables cannot grow; without it the server would stop.
        server = startPostgres(folder, [
          'wal_recycle=on',
          'min_wal_size=64MB',
          'max_wal_size=64MB',
          'shared_buffers=16MB',
        ]);
        const database = openPostgres(server.urlOf('deed'), { busyTimeoutMs: 2000 });
        await pushEvent(database, 'a', 'first');
        const filler = join(mountPoint, 'filler');
        execFileSync('sh', ['-c', `dd if=/dev/zero of=${filler} bs=64k 2>/dev/null || true`]);
        const codes = new Set<string>();
        const writing = pushBulk(database, codes);
        await sleep(LONG ? 5000 : 1500);
        rmSync(filler);
        const stored = await writing;
        expect(
          [...codes].filter(
            (code) => !/^(?:E_IO disk-full|E_NETWORK unreachable|E_SERVER resources)$/u.test(code),
          ),
        ).toEqual([]);
        expect(codes.size).toBeGreaterThan(0);
        expect(await totalEvents(database)).toBe(stored + 1);
        expect(await database.check()).toEqual([]);
      } finally {
        server?.dispose();
        server = undefined;
        execFileSync('umount', [mountPoint]);
        rmSync(mountPoint, { recursive: true });
      }
    },
  );
});

/** Pushes until each of 400 events is stored; returns how many that were. */
async function pushBulk(database: Database, codes: Set<string>): Promise<number> {
  const found = await Promise.all(
    Array.from({ length: 4 }, (_, index) => pushEvents(database, `bulk_${index}`, 100, 'x'.repeat(20_000))),
  );
  for (const code of found.flat()) codes.add(code);
  return 400;
}
