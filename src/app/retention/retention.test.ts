import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUSY_DAY, fillDay } from '../../../test/fixtures/busy-home.ts';
import { createKernelContext, type KernelContext } from '../../../test/fixtures/kernel-context.ts';
import { openSqliteReadOnly } from '../../continuity/database/sqlite/open-sqlite.ts';
import { readEvents } from '../../continuity/events/event.ts';
import { readHistory } from '../../continuity/memory/read-memories.ts';
import { verifyAudit } from '../../contract/verify-audit.ts';
import { verifyReceipts } from '../../work/receipt/verify-receipts.ts';
import { deedTool } from '../deed-tool.ts';
import { cleanIfDue } from './clean-if-due.ts';
import { RETENTION_RULES, retentionContext } from './rules.ts';
import type { Removal, RetentionContext } from './retention-rule.ts';

const SMALL_DAY = { ...BUSY_DAY, events: 20, memoryChanges: 40, answers: 5, auditLines: 10, runs: 1 };
const DAY = { ...SMALL_DAY, treeEntries: 50, sessions: 1, sessionBytes: 500, ledgerEntries: 5, tokens: 3 };
const START = '2024-01-10T12:00:00Z';
const LATER = '2025-06-10T12:00:00Z';

let context: KernelContext;
beforeEach(async () => {
  context = createKernelContext({ tool: deedTool });
  for (const time of [START, '2024-02-10T12:00:00Z', LATER]) {
    context.setTime(time);
    await fillDay(context.home, DAY, Date.parse(time));
  }
});
afterEach(() => context.dispose());

const retention = (since = 0): RetentionContext => retentionContext(context, { since });

async function clean(since = 0): Promise<Record<string, Removal>> {
  const removed: Record<string, Removal> = {};
  for (const rule of RETENTION_RULES) removed[rule.part] = await rule.collect(retention(since));
  return removed;
}

async function plan(): Promise<Record<string, Removal>> {
  const planned: Record<string, Removal> = {};
  for (const rule of RETENTION_RULES) planned[rule.part] = await rule.plan(retention());
  return planned;
}

const names = (...path: string[]): readonly string[] =>
  existsSync(context.home.at(...path)) ? readdirSync(context.home.at(...path)) : [];

async function readStore<T>(
  work: (database: ReturnType<typeof openSqliteReadOnly>) => Promise<T>,
): Promise<T> {
  const database = openSqliteReadOnly(context.home.at('deed.db'));
  try {
    return await work(database);
  } finally {
    database.close();
  }
}

const eventDays = (): Promise<readonly string[]> =>
  readStore(async (database) => {
    const events = await readEvents(database, { ascending: true, includeArchived: true, limit: 1000 });
    return [
      ...new Set(
        events.filter(({ kind }) => kind === 'tool_success').map(({ created_at }) => created_at.slice(0, 7)),
      ),
    ];
  });

describe('retention', () => {
  it('keeps recent data and removes what is older than its rule, in every part', async () => {
    const { items } = (await plan())['sessions'] as Removal;
    expect(items).toBe(2);
    const removed = await clean();
    expect(removed['audit']?.items).toBe(2);
    expect(names('audit').filter((name) => name.endsWith('.gz'))).toHaveLength(2);
    expect(await eventDays()).toEqual(['2025-06']);
    expect(names('sessions')).toHaveLength(1);
    expect(names('consumed').filter((name) => name !== 'pruned')).toHaveLength(3);
    expect(names('work', 'manifests')).toHaveLength(1);
    expect(names('work', 'snapshots')).toHaveLength(1);
    expect((await clean())['store']?.items).toBe(0);
    expect((await verifyAudit(context.home)).problems).toEqual([]);
  });

  it('keeps the receipt of every run, which stays valid without the files that were removed', async () => {
    await clean();
    const [oldest = ''] = names('runs')
      .filter((name) => name.startsWith('run_'))
      .toSorted();
    expect(names('runs', oldest).toSorted()).toEqual([
      'RECEIPT.json',
      'item.json',
      'receipt.dsse.json',
      'result.json',
      'retired.dsse.json',
    ]);
    expect(verifyReceipts(context.home.path)).toEqual({ checked: 3, problems: [] });
    rmSync(context.home.at('runs', oldest, 'retired.dsse.json'));
    expect(verifyReceipts(context.home.path).problems.map(({ problem }) => problem)).toContain('is missing');
  });

  it('detects a removed file of a run that is not in the signed list, and a list of another run', async () => {
    await clean();
    const [oldest = '', second = ''] = names('runs')
      .filter((name) => name.startsWith('run_'))
      .toSorted();
    rmSync(context.home.at('runs', oldest, 'result.json'));
    expect(verifyReceipts(context.home.path).problems).toEqual([
      { run_id: oldest, file: 'result.json', problem: 'is missing' },
    ]);
    const other = join(context.home.path, 'runs', second, 'retired.dsse.json');
    writeFileSync(other, JSON.stringify({ payload: '', payloadType: '', signatures: [] }));
    expect(verifyReceipts(context.home.path).problems.map(({ run_id }) => run_id)).toContain(second);
  });

  it('keeps the newest versions of a memory', async () => {
    const place = { scope: 'project', scope_id: '/srv/app', key: 'note 1' } as const;
    const versions = (): Promise<number> =>
      readStore(async (database) => (await readHistory(database, place, 1000)).length);
    const settings = JSON.stringify({ 'retention.memory_versions': 3 });
    writeFileSync(context.home.at('config.json'), settings, { mode: 0o600 });
    expect(await versions()).toBe(6);
    await clean();
    expect(await versions()).toBe(4);
  });

  it('removes the states of trees beyond the maximum size, the oldest first', async () => {
    for (const minute of ['01', '02', '03'])
      await fillDay(context.home, { ...DAY, treeEntries: 1000 }, Date.parse(`2025-06-10T12:${minute}:00Z`));
    writeFileSync(context.home.at('config.json'), JSON.stringify({ 'retention.replay_bytes': 250_000 }), {
      mode: 0o600,
    });
    await clean();
    expect(names('work', 'manifests')).toHaveLength(2);
  });

  it('removes the folders of replays that were killed, but not of those that run', async () => {
    for (const [name, time] of [
      ['replay-old', START],
      ['replay-new', LATER],
    ] as const) {
      mkdirSync(context.home.at('work', name), { recursive: true });
      utimesSync(context.home.at('work', name), Date.parse(time) / 1000, Date.parse(time) / 1000);
    }
    await clean();
    expect(names('work').filter((name) => name.startsWith('replay-'))).toEqual(['replay-new']);
  });

  it('deletes nothing from before the first automatic cleanup', async () => {
    const kept = (): unknown => [
      names('sessions'),
      names('runs'),
      names('work', 'manifests'),
      names('audit'),
    ];
    const before = kept();
    await cleanIfDue(context);
    expect(kept()).toEqual(before);
    await clean(context.system.clock.now());
    expect(kept()).toEqual(before);
    expect(await eventDays()).toEqual(['2024-01', '2024-02', '2025-06']);
  });

  it('cleans automatically what was written since, once a day, but nothing on the first day after a long pause', async () => {
    rmSync(context.home.path, { recursive: true });
    context.setTime(START);
    await cleanIfDue(context);
    await fillDay(context.home, DAY, Date.parse(START) + 1000);
    const cleanedAt = (time: number): void => utimesSync(context.home.at('pruned'), time / 1000, time / 1000);
    cleanedAt(Date.parse(START));
    context.setTime(LATER);
    await cleanIfDue(context);
    expect(names('sessions')).toHaveLength(1);
    const old = names('sessions');
    // The writes of a day confirm the time.
    await fillDay(context.home, DAY, Date.parse(LATER) - 1000);
    cleanedAt(Date.parse(LATER) - 25 * 60 * 60_000);
    await cleanIfDue(context);
    expect(names('sessions').filter((name) => old.includes(name))).toEqual([]);
    expect(names('sessions')).toHaveLength(1);
    expect(names('work', 'manifests')).toHaveLength(1);
  });
});
