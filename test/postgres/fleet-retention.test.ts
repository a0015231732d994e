import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectRefs } from '../../src/work/fleet/collect-refs.ts';
import { replaceItem } from '../../src/work/fleet/item-refs.ts';
import type { ItemRecord } from '../../src/work/fleet/item-record.ts';
import { shareRecord } from '../../src/work/fleet/shared-jobs.ts';
import { assertResumable } from '../../src/work/fleet/submit-job.ts';
import type { WorkQueue } from '../../src/work/fleet/work-queue.ts';
import { checkItem } from '../../src/work/item/check-item.ts';
import { openDatabaseQueue, queryDatabase, queueSchema } from '../fixtures/database-queue.ts';
import { createFleetBench } from '../fixtures/fleet-bench.ts';
import { LedgerBench } from '../fixtures/ledger-bench.ts';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { until } from '../fixtures/real-processes.ts';
import { deed } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { newPostgresUrl } from '../fixtures/store-environment.ts';
import { item } from '../fixtures/work-bench.ts';

const OLD = '2026-01-18T10:00:00.000Z';
const KEEP_DAYS = 30;
const ENDED = { step: 'ended', commit: undefined } as const;

describe.skipIf(findPostgres() === undefined)('old refs in the remote', () => {
  let bench: LedgerBench;
  let queue: WorkQueue;
  beforeAll(async () => {
    bench = new LedgerBench();
    queue = await openDatabaseQueue(newPostgresUrl());
  });
  afterAll(async () => {
    await queue.close();
    bench.dispose();
  });
  const refs = (): string[] =>
    bench.git('for-each-ref', '--format=%(refname)', 'refs/deed/items', 'refs/deed/sessions').split('\n');
  const session = (item_id: string): string => `refs/deed/sessions/${bench.jobId}/${item_id}/1`;
  const leaveSession = (itemId: string): string =>
    bench.git('update-ref', session(itemId), bench.git('rev-parse', 'main'));
  const fleet = () => ({ ...bench.integrator.fleet, queue });
  const collect = (use = queue) => collectRefs({ ...fleet(), queue: use }, KEEP_DAYS);
  const step = async (itemId: string, change: Partial<ItemRecord>): Promise<void> => {
    const current = await bench.result(itemId);
    const record = { ...current.record, ...change };
    await replaceItem(bench.integrator.fleet.remote, current, record);
  };

  it('are deleted as whole jobs, long after the last item ended; what lives and the ledger stay', async () => {
    // A job that ended long ago, with the session of a worker that was killed before it removed it.
    [bench.jobId, bench.at] = ['job_old', OLD];
    await bench.land('landed');
    await step('failed', ENDED);
    await step('cancelled', { step: 'cancelled', commit: undefined });
    leaveSession('landed');
    // Jobs that look as old, but are not over.
    bench.jobId = 'job_running';
    await step('first', ENDED);
    await step('second', { step: 'claimed', commit: undefined });
    leaveSession('second');
    bench.jobId = 'job_queued';
    await step('first', ENDED);
    const waits = {
      jobId: 'job_queued',
      item: checkItem(item('later', 'true')),
      branch: 'main',
      round: 0,
      order: 1,
    };
    await queue.add('build.0123456789ab', [waits]);
    bench.jobId = 'job_damaged';
    await step('first', ENDED);
    bench.git('update-ref', 'refs/deed/items/job_damaged/x', bench.git('rev-parse', 'main'));
    // The clock of its host was wrong: the database knows when its record was written.
    bench.jobId = 'job_clock';
    await step('first', ENDED);
    await shareRecord(queue.documents, { ...(await bench.readItem('first'))?.record } as ItemRecord);
    // A job of today.
    [bench.jobId, bench.at] = ['job_new', new Date().toISOString()];
    await step('first', ENDED);
    leaveSession('first');
    const before = refs();
    expect(await collect()).toBe(5);
    const gone = before.filter((ref) => !refs().includes(ref));
    expect(gone.sort()).toEqual([
      'refs/deed/items/job_old/cancelled',
      'refs/deed/items/job_old/failed',
      'refs/deed/items/job_old/landed',
      'refs/deed/sessions/job_new/first/1',
      'refs/deed/sessions/job_old/landed/1',
    ]);
    expect(await collect()).toBe(0);
    bench.git('reflog', 'expire', '--expire=now', '--all');
    bench.git('gc', '-q', '--prune=now');
    const { home, clone } = bench.auditor();
    const verified = deed(['receipt', 'verify', '--ledger', '--exclusive'], { home, cwd: clone });
    expect(verified.envelope.data, verified.stdout).toMatchObject({ valid: true, checked: 1 });
  });

  it('all stay if one of them moves meanwhile', async () => {
    [bench.jobId, bench.at] = ['job_race', OLD];
    await step('first', ENDED);
    await step('second', { step: 'cancelled', commit: undefined });
    const racing: WorkQueue = {
      ...queue,
      // Between the list and the deletion, another host queues the item again, and a worker claims it.
      openJobs: async () => {
        const answer = await queue.openJobs();
        const current = await bench.readItem('second');
        if (current !== undefined)
          await replaceItem(bench.integrator.fleet.remote, current, { ...current.record, step: 'claimed' });
        return answer;
      },
    };
    expect(await collect(racing)).toBe(0);
    expect(refs().filter((ref) => ref.includes('job_race'))).toHaveLength(2);
  });

  it('are needed to queue a job again, unless it was submitted lately', async () => {
    await expect(assertResumable(fleet(), { id: 'job_old' })).rejects.toMatchObject({ code: 'E_CONFLICT' });
    await expect(assertResumable(fleet(), { id: 'job_race' })).resolves.toBeUndefined();
  });
});

/** The rules above from outside, with a running integrator. */
describe.runIf(LONG && findPostgres() !== undefined)('an integrator', () => {
  it('deletes the refs of old jobs; homes that have seen them keep their results', async () => {
    const bench = createFleetBench();
    const caller = bench.host('caller');
    bench.host('worker').start('worker', 'start', '--queue', 'old');
    const first = bench.host('first').start('integrator', 'start', '--queue', 'old');
    const run = caller.write('work', 'run', caller.plan(item('a', 'echo a > b.txt')), '--on', 'old');
    expect(run.envelope.ok, run.stdout).toBe(true);
    const job = run.envelope.data.job_id as string;
    first.child.kill('SIGTERM');
    await first.ended;
    // Time passes: the record is old, and the copies in the database have expired.
    const ref = `refs/deed/items/${job}/a`;
    const record = JSON.parse(bench.git('show', `${ref}:state.json`)) as ItemRecord;
    writeFileSync(join(caller.clone, 'state.json'), JSON.stringify({ ...record, at: OLD }));
    caller.git('add', 'state.json');
    const tree = caller.git('write-tree', '--prefix=').trim();
    const commit = caller.git('commit-tree', '-m', 'old', tree).trim();
    caller.git('rm', '-q', '--cached', '-f', 'state.json');
    caller.git('push', '-q', '--force', 'origin', `${commit}:${ref}`);
    await queryDatabase(
      bench.url,
      `UPDATE ${queueSchema(bench.url)}.job SET keep_until = now() - interval '1 day' WHERE name LIKE 'deed.%'`,
    );
    const second = bench.host('second').start('integrator', 'start', '--queue', 'old');
    await until(() => bench.git('for-each-ref', ref) === '', `the ref is deleted: ${second.output()}`);
    await until(() => second.output().includes('deleted 1 refs of ended jobs'), 'the integrator reports it');
    expect(caller.read('work', 'result', job).envelope.data).toMatchObject({ status: 'succeeded' });
    expect(caller.write('work', 'run', '--resume', job).envelope.error).toMatchObject({ code: 'E_CONFLICT' });
    const verified = bench.untrusted('auditor').read('receipt', 'verify', '--ledger').envelope;
    expect(verified.data, JSON.stringify(verified)).toMatchObject({ valid: true, checked: 1 });
    await bench.dispose();
  });
});
