import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { shareHostReport } from '../../src/work/fleet/host-reports.ts';
import { putSessionPart, readKeptSession } from '../../src/work/fleet/session-records.ts';
import { readSharedJobs, shareJob } from '../../src/work/fleet/shared-jobs.ts';
import type { WorkerInfo, WorkQueue } from '../../src/work/fleet/work-queue.ts';
import type { Job } from '../../src/work/plan/job.ts';
import { openDatabaseQueue, queryDatabase, queueSchema } from '../fixtures/database-queue.ts';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { DEED, runInProcess } from '../fixtures/run-in-process.ts';
import { newPostgresUrl } from '../fixtures/store-environment.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const WORKER: WorkerInfo = {
  id: 'build-1-0a1b2c3d',
  role: 'worker',
  queue: 'build',
  queueName: 'build.0123456789ab',
  host: 'build-1',
  pid: 42,
  labels: [],
  jobs: 1,
  running: [],
  draining: false,
  startedAt: '2026-11-18T10:00:00.000Z',
};
const MINUTE_MS = 60_000;

/** A reader whose clock is wrong sees what others see: times are compared by the clock of the database. */
describe.skipIf(findPostgres() === undefined)('the clock of a reader', () => {
  const url = findPostgres() === undefined ? '' : newPostgresUrl();
  const home = temporaryFolder('clocks');
  let queue: WorkQueue;
  beforeAll(async () => {
    writeFileSync(join(home.path, 'config.json'), JSON.stringify({ 'store.url': url }));
    queue = await openDatabaseQueue(url);
  });
  afterEach(() => vi.useRealTimers());
  afterAll(async () => {
    await queue.close();
    home.dispose();
  });
  const shiftClock = (byMs: number): void => {
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.now() + byMs);
  };
  const read = async (...argv: string[]): Promise<Record<string, object[]>> =>
    (await runInProcess(argv, DEED, { home: home.path })).envelope.data as never;
  /** Lets time pass in the database, for the entries of a queue. */
  const age = (kind: string, seconds: number) =>
    queryDatabase(
      url,
      `UPDATE ${queueSchema(url)}.job SET start_after = start_after - interval '${seconds} s',
       keep_until = keep_until - interval '${seconds} s' WHERE name = 'deed.${kind}'`,
    );

  it('does not decide which workers live', async () => {
    await queue.announce(WORKER);
    for (const shift of [0, 10 * MINUTE_MS, -10 * MINUTE_MS, 86_400_000]) {
      shiftClock(shift);
      expect((await read('worker', 'list')).items, `shifted by ${shift}`).toMatchObject([
        { worker_id: WORKER.id, status: 'idle' },
      ]);
    }
    await age('workers', 30);
    for (const shift of [0, 10 * MINUTE_MS, -10 * MINUTE_MS]) {
      shiftClock(shift);
      const [worker] = (await read('worker', 'list')).items as { status: string; age_seconds: number }[];
      expect(worker, `shifted by ${shift}`).toMatchObject({ status: 'lost' });
      expect(Math.abs((worker?.age_seconds ?? 0) - 30)).toBeLessThan(10);
    }
    vi.useRealTimers();
    expect(Math.abs(Date.now() - 30_000 - Date.parse((await queue.workers())[0]?.seenAt ?? ''))).toBeLessThan(
      10_000,
    );
  });

  it('does not decide how long an announcement is shown: it expires a minute after the last one', async () => {
    await queue.announce(WORKER);
    await age('workers', 50);
    expect(await queue.workers()).toHaveLength(1);
    await age('workers', 15);
    for (const shift of [0, -10 * MINUTE_MS]) {
      shiftClock(shift);
      expect(await queue.workers(), `shifted by ${shift}`).toEqual([]);
      expect((await read('worker', 'list')).items).toEqual([]);
    }
    // A worker that was cut off and comes back is shown again.
    await queue.announce(WORKER);
    expect(await queue.workers()).toMatchObject([{ id: WORKER.id }]);
    await queue.withdraw(WORKER.id);
    expect(await queue.workers()).toEqual([]);
  });

  it('does not decide about a request to drain, which expires like an announcement', async () => {
    await queue.askToDrain(WORKER.id);
    shiftClock(10 * MINUTE_MS);
    expect(await queue.isAskedToDrain(WORKER.id)).toBe(true);
    expect(await queue.isAskedToDrain('another')).toBe(false);
    await age('drains', 70);
    shiftClock(-10 * MINUTE_MS);
    expect(await queue.isAskedToDrain(WORKER.id)).toBe(false);
  });

  it('does not change the age of the report of a host, nor what is kept of a session', async () => {
    const report = { problem: null, scanned: 1, left_running: 0, memory_mb: 0, to_review: 0, worst: [] };
    await shareHostReport(queue.documents, { host: 'build-1', worker_id: WORKER.id, ...report });
    await age('hosts', 120);
    const place = { jobId: 'job_1', itemId: 'a', round: 0, attempt: 1, base: 'b'.repeat(40) };
    await putSessionPart(queue.documents, { ...place, number: 0, lines: ['{}'], tree: null });
    for (const shift of [10 * MINUTE_MS, -10 * MINUTE_MS, 8 * 86_400_000]) {
      shiftClock(shift);
      const [host] = (await read('triage', 'fleet')).hosts as { age_seconds: number }[];
      expect(Math.abs((host?.age_seconds ?? 0) - 120), `shifted by ${shift}`).toBeLessThan(10);
      expect(await readKeptSession(queue.documents, place)).toMatchObject({ attempt: 1, lines: ['{}'] });
    }
    vi.useRealTimers();
    await age('hosts', 86_400);
    await age('sessions', 8 * 86_400);
    shiftClock(-8 * 86_400_000);
    expect((await read('triage', 'fleet')).hosts).toEqual([]);
    expect(await readKeptSession(queue.documents, place)).toBeUndefined();
  });

  it('does not order the jobs: the newest is the one that was submitted last', async () => {
    const job = (id: string, createdAt: string): Job => ({
      id,
      root: '/app',
      branch: 'main',
      fleet: { queue: 'build', url: 'x', round: 0 },
      items: [],
      jobs: 1,
      createdAt,
      runs: {},
    });
    const names = { repository: 'app', host: 'build-1' };
    await shareJob(queue.documents, job('job_fast', '2027-11-18T10:00:00.000Z'), names);
    await shareJob(queue.documents, job('job_slow', '2025-11-18T10:00:00.000Z'), names);
    const jobs = await readSharedJobs(queue.documents);
    expect(jobs.map(({ id }) => id)).toEqual(['job_slow', 'job_fast']);
  });
});
