import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LedgerBench } from '../../../test/fixtures/ledger-bench.ts';
import { LONG } from '../../../test/fixtures/start-node.ts';
import { item } from '../../../test/fixtures/work-bench.ts';
import { checkItem } from '../item/check-item.ts';
import { hashItem } from '../item/hash-item.ts';
import type { LedgerEntry } from '../receipt/ledger-entry.ts';
import { integrateItems } from './integrate-items.ts';
import { itemRef, replaceItem, type StoredRecord } from './item-refs.ts';
import { toStandaloneItem } from './run-in-clone.ts';
import type { Lease, QueuedItem } from './work-queue.ts';

let bench: LedgerBench;
let ended: string[];
beforeEach(() => {
  bench = new LedgerBench();
  bench.git('config', 'core.logAllRefUpdates', 'always');
  ended = [];
});
afterEach(() => bench.dispose());

const itemOf = (id: string) => checkItem(item(id, 'true'));
const resultOf = (id: string): Promise<StoredRecord> =>
  bench.result(id, 'main', undefined, hashItem(toStandaloneItem(itemOf(id))));
const leaseOf = (id: string, jobId = 'job_1'): Lease => ({
  queued: { jobId, item: itemOf(id), branch: 'main', round: 0, order: 1 },
  retry: 0,
  beat: async () => true,
  done: async () => void ended.push(`${id} done`),
  returnToQueue: async () => void ended.push(`${id} back`),
});
const integrate = (...leases: readonly Lease[]): Promise<void> =>
  integrateItems(bench.integrator.fleet, leases, new AbortController().signal);
const stepOf = async (id: string) => (await bench.readItem(id))?.record.step;
const landed = (): string[] => bench.git('log', '--reverse', '--format=%s', 'main').split('\n').slice(1);
const pushes = (): number => bench.git('reflog', 'show', '--format=%H', 'refs/heads/main').split('\n').length;
const entries = (): LedgerEntry[] =>
  bench
    .entries()
    .map(
      (files) =>
        JSON.parse(
          Buffer.from(
            (JSON.parse(files['promotion.dsse.json']) as { payload: string }).payload,
            'base64',
          ).toString(),
        ).predicate as LedgerEntry,
    );

it('results that fit land in one push, each directly after the one before it', async () => {
  const start = bench.git('rev-parse', 'main');
  for (const id of ['x', 'y', 'z']) await resultOf(id);
  await integrate(leaseOf('x'), leaseOf('y'), leaseOf('z'));
  expect([landed(), pushes()]).toEqual([['x', 'y', 'z'], 1]);
  expect(ended).toEqual(['x done', 'y done', 'z done']);
  const commits = bench.git('rev-list', '--reverse', `${start}..main`).split('\n');
  expect(entries().map(({ item_id, sequence, before, after }) => [item_id, sequence, before, after])).toEqual(
    [
      ['x', 1, start, commits[0]],
      ['y', 2, commits[0], commits[1]],
      ['z', 3, commits[1], commits[2]],
    ],
  );
  const ledger = bench.git('rev-list', '--reverse', 'refs/deed/ledger').split('\n');
  for (const [index, id] of ['x', 'y', 'z'].entries())
    expect((await bench.readItem(id))?.record).toMatchObject({
      step: 'promoted',
      commit: commits[index],
      ledger: ledger[index],
    });
});

it.runIf(LONG)('an item without a result waits, and the others land', async () => {
  await resultOf('x');
  const waiting = await resultOf('y');
  await replaceItem(bench.integrator.fleet.remote, waiting, { ...waiting.record, step: 'waiting' });
  await resultOf('z');
  await integrate(leaseOf('x'), leaseOf('y'), leaseOf('z'));
  expect([landed(), pushes()]).toEqual([['x', 'z'], 1]);
  expect(ended).toEqual(['x done', 'z done', 'y back']);
});

it('a result that no trusted worker signed is denied, and the others land', async () => {
  await resultOf('x');
  await bench.result('y');
  await resultOf('z');
  const { fleet } = bench.integrator;
  // Denying `y` starts a run, which fails here because this bench has no sandbox.
  await expect(integrate(leaseOf('x'), leaseOf('y'), leaseOf('z'))).rejects.toThrow();
  expect([landed(), await stepOf('y')]).toEqual([['x', 'z'], 'result']);
  expect(fleet.id).toBe(entries()[0]?.integrator);
});

it('an item that is cancelled during the push does not land, and the others do', async () => {
  for (const id of ['x', 'y', 'z']) await resultOf(id);
  const result = (await bench.readItem('y')) as StoredRecord;
  const { remote } = bench.integrator.fleet;
  const cancelled = await replaceItem(remote, result, { ...result.record, step: 'cancelled' });
  const ref = itemRef('job_1', 'y');
  bench.git('update-ref', ref, result.commit);
  const move = `env -u GIT_QUARANTINE_PATH git update-ref ${ref} ${cancelled?.commit}`;
  writeFileSync(
    join(bench.remote, 'hooks/pre-receive'),
    `#!/bin/sh\n[ -e moved ] || { touch moved; ${move}; }\n`,
    { mode: 0o755 },
  );
  await integrate(leaseOf('x'), leaseOf('y'), leaseOf('z'));
  expect([landed(), await stepOf('y')]).toEqual([['x', 'z'], 'cancelled']);
  expect(entries().map(({ item_id, sequence }) => [item_id, sequence])).toEqual([
    ['x', 1],
    ['z', 2],
  ]);
  expect(ended).toEqual(['x done', 'y done', 'z done']);
});

it.runIf(LONG)(
  'results of several jobs land together; one that makes the same change adds no commit',
  async () => {
    await resultOf('x');
    bench.jobId = 'job_2';
    await resultOf('x');
    await integrate(leaseOf('x'), leaseOf('x', 'job_2'));
    expect([landed(), pushes()]).toEqual([['x'], 1]);
    expect(entries().map(({ job_id, before, after }) => [job_id, before === after])).toEqual([
      ['job_1', false],
      ['job_2', true],
    ]);
  },
);

it.each(['an earlier commit', 'another history'])(
  'a result whose base was removed from the branch runs again, and brings nothing back: %s',
  async (kind) => {
    const start = bench.git('rev-parse', 'main');
    const removed = await resultOf('removed');
    bench.git('update-ref', 'refs/heads/main', removed.record.commit as string);
    await resultOf('x');
    const author = ['-c', 'user.name=p', '-c', 'user.email=p@example.org'];
    const tree = bench.git('rev-parse', `${start}^{tree}`);
    const forced =
      kind === 'another history' ? bench.git(...author, 'commit-tree', '-m', 'other', tree) : start;
    bench.git('update-ref', 'refs/heads/main', forced);
    const again: [string, number][] = [];
    Object.assign(bench.integrator.fleet, {
      queue: {
        addAgain: async (_: string, { item: { id }, round }: QueuedItem) => void again.push([id, round]),
      },
    });
    await integrate(leaseOf('x'));
    expect([bench.git('rev-parse', 'main'), await stepOf('x'), ended]).toEqual([
      forced,
      'requeued',
      ['x back'],
    ]);
    expect(again).toContainEqual(['x', 1]);
  },
);
