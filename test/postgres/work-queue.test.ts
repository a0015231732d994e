import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { describeConnection } from '../../src/continuity/database/postgres/describe-connection.ts';
import type { QueuedItem, WorkQueue } from '../../src/work/fleet/work-queue.ts';
import { checkItem } from '../../src/work/item/check-item.ts';
import { openDatabaseQueue, queryDatabase, queueSchema } from '../fixtures/database-queue.ts';
import { startProxy } from '../fixtures/cut-network.ts';
import { findPostgres } from '../fixtures/postgres-server.ts';
import { LONG } from '../fixtures/start-node.ts';
import { newPostgresUrl } from '../fixtures/store-environment.ts';
import { item } from '../fixtures/work-bench.ts';

const QUEUE = 'build.0123456789ab';

describe.skipIf(findPostgres() === undefined)('the queue', () => {
  let url: string;
  let queue: WorkQueue;
  const open = (place: object = {}): Promise<WorkQueue> => openDatabaseQueue(url, place);
  const schemaOf = (): string => queueSchema(url);
  const query = (sql: string) => queryDatabase(url, sql);
  const queued = (id: string, ...dependencies: string[]): QueuedItem => ({
    jobId: 'job_1',
    item: checkItem(item(id, 'true', { dependencies })),
    branch: 'main',
    round: 0,
    order: 1,
  });
  beforeEach(async () => {
    url = newPostgresUrl();
    queue = await open();
  });
  afterEach(() => queue.close());

  it('offers a landing as soon as its item is done, and a dependent item as soon as that has landed', async () => {
    await queue.add(QUEUE, [queued('first'), queued('second', 'first')]);
    const work = await queue.takeItem(QUEUE, [], {});
    expect(work?.queued.item.id).toBe('first');
    expect(await queue.takeLandings(QUEUE, 2)).toEqual([]);
    await work?.done();
    const [landing] = await queue.takeLandings(QUEUE, 2);
    expect(await queue.takeItem(QUEUE, [], {})).toBeUndefined();
    await landing?.done();
    expect((await queue.takeItem(QUEUE, [], {}))?.queued.item.id).toBe('second');
  });

  it('announces what becomes ready, also after the connection was lost, to those that it is ready for', async () => {
    const heard: string[] = [];
    const ends = (['worker', 'integrator'] as const).map((role) =>
      queue.onReady(QUEUE, role, () => heard.push(role)),
    );
    const other = await open();
    const until = async (...roles: string[]): Promise<void> => {
      await vi.waitFor(() => expect(heard).toEqual(roles), { timeout: 10_000 });
      heard.length = 0;
    };
    const listeners = `SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN ${schemaOf()}'`;
    const listening = async (): Promise<number> => (await query(listeners)).length;
    await vi.waitFor(async () => expect(await listening()).toBe(2), { timeout: 10_000 });
    await other.add(QUEUE, [queued('first'), queued('second', 'first')]);
    await until('worker');
    await (await other.takeItem(QUEUE, [], {}))?.done();
    await until('integrator');
    await query(`SELECT pg_terminate_backend(pid) FROM (${listeners}) AS found`);
    await vi.waitFor(async () => expect(await listening()).toBe(2), { timeout: 15_000, interval: 200 });
    await (await other.takeLandings(QUEUE, 1))[0]?.done();
    await until('worker');
    await other.addAgain(QUEUE, { ...queued('third'), round: 1 });
    await until('worker');
    for (const end of ends) end();
    await vi.waitFor(async () => expect(await listening()).toBe(0), { timeout: 10_000 });
    await other.close();
  });

  it('offers several landings at once, in their order', async () => {
    const items = ['c', 'a', 'b'].map((id, index) => ({ ...queued(id), order: index }));
    await queue.add(QUEUE, items);
    for (const _ of items) await (await queue.takeItem(QUEUE, [], {}))?.done();
    const taken = await queue.takeLandings(QUEUE, 2);
    expect(taken.map((lease) => lease.queued.item.id)).toEqual(['c', 'a']);
    expect(await Promise.all(taken.map((lease) => lease.beat()))).toEqual([true, true]);
    expect((await queue.takeLandings(QUEUE, 2)).map((lease) => lease.queued.item.id)).toEqual(['b']);
  });

  it('returns the items of a cancelled job that were taken and not completed, also when it is called again', async () => {
    await queue.add(QUEUE, [queued('runs'), { ...queued('ran'), order: 0 }, queued('waits', 'runs')]);
    await (await queue.takeItem(QUEUE, [], {}))?.done();
    const runs = await queue.takeItem(QUEUE, [], {});
    expect(await queue.cancel(QUEUE, 'job_1')).toEqual(['runs']);
    expect([await runs?.beat(), await queue.takeItem(QUEUE, [], {})]).toEqual([false, undefined]);
    expect(await queue.cancel(QUEUE, 'job_1')).toEqual(['runs']);
    expect(await queue.cancel(QUEUE, 'job_2')).toEqual([]);
  });

  it('never drops an entry, no matter how often it was returned, and keeps it for a year', async () => {
    await queue.add(QUEUE, [queued('patient')]);
    expect(await queue.takeItem(QUEUE, [], {})).toBeDefined();
    // As if its holder had been killed, after a million earlier ones.
    await query(
      `UPDATE ${schemaOf()}.job SET retry_count = 1000000, heartbeat_on = now() - interval '1 hour' WHERE name = '${QUEUE}'`,
    );
    await queue.supervise();
    expect((await queue.takeItem(QUEUE, [], {}))?.queued.item.id).toBe('patient');
    const [kept] = await query(
      `SELECT min(extract(epoch FROM keep_until - now())) / 86400 AS days FROM ${schemaOf()}.job`,
    );
    expect(Number(kept?.days)).toBeGreaterThan(300);
  });

  it('sums the costs of a day over all processes', async () => {
    const other = await open();
    await queue.addCost(QUEUE, 'one', 0.25);
    await queue.addCost(QUEUE, 'one', 0.25);
    await other.addCost(QUEUE, 'two', 1);
    await other.addCost('deploy.0123456789ab', 'two', 7);
    expect(await queue.costToday(QUEUE)).toBe(1.5);
    await query(`UPDATE ${schemaOf()}.job SET singleton_key = '2020-01-01' || substr(singleton_key, 11)
      WHERE name = 'deed.costs' AND singleton_key LIKE '% two'`);
    expect(await queue.costToday(QUEUE)).toBe(0.5);
    await other.close();
  });

  it.runIf(LONG)('closes a connection whose packets are lost, and works again with a new one', async () => {
    const { host } = describeConnection(url, {}).options;
    const proxy = await startProxy(`${host}/.s.PGSQL.5432`);
    const cut = await open({ host: '127.0.0.1', port: proxy.port });
    await cut.add(QUEUE, [queued('late')]);
    proxy.cut();
    await expect(cut.takeItem(QUEUE, [], {})).rejects.toMatchObject({ code: 'E_NETWORK' });
    proxy.heal();
    await query(`UPDATE ${schemaOf()}.job SET heartbeat_on = now() - interval '1 hour'`);
    await queue.supervise();
    expect((await cut.takeItem(QUEUE, [], {}))?.queued.item.id).toBe('late');
    await cut.close();
    proxy.dispose();
  });
});
