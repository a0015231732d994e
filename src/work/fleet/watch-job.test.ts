import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMemoryDocuments } from '../../../test/fixtures/memory-documents.ts';
import { item } from '../../../test/fixtures/work-bench.ts';
import { createWorkTree, type WorkTree } from '../../../test/fixtures/work-tree.ts';
import { Fault } from '../../base/fault.ts';
import { checkItem } from '../item/check-item.ts';
import { writeJob, type Job } from '../plan/job.ts';
import type { Fleet } from './fleet.ts';
import { replaceItem, type StoredRecord } from './item-refs.ts';
import type { ItemRecord, ItemStep } from './item-record.ts';
import { shareRecord } from './shared-jobs.ts';
import { watchJob } from './watch-job.ts';

let tree: WorkTree;
let fleet: Fleet;
let job: Job;
beforeEach(() => {
  tree = createWorkTree();
  const folder = join(tree.root, '..');
  execFileSync('git', ['clone', '-q', '--bare', tree.root, join(folder, 'remote.git')]);
  fleet = {
    work: { home: join(folder, 'home'), clock: { now: () => Date.parse('2026-11-18T10:00:00.000Z') } },
    queue: { documents: createMemoryDocuments() },
    remote: { root: tree.root, url: join(folder, 'remote.git'), workspace: tree.context },
  } as unknown as Fleet;
  job = writeJob(fleet.work.home, {
    id: 'job_1',
    root: tree.root,
    fleet: { queue: 'q', url: fleet.remote.url, round: 0 },
    items: [checkItem(item('a', 'true'))],
    jobs: 1,
    createdAt: '2026-11-18T09:00:00.000Z',
    runs: {},
  });
});
afterEach(() => tree.dispose());

function recordOf(step: ItemStep): ItemRecord {
  const result = {
    status: 'failure',
    receipt_id: 'r',
    output_hash: '',
    modified_files: [],
    created_files: [],
    deleted_files: [],
    artifact_hashes: {},
  };
  return {
    version: 1,
    job_id: 'job_1',
    item_id: 'a',
    attempt: 1,
    by: 'w',
    step,
    fence: { round: 0, retry: 0 },
    at: '2026-11-18T09:30:00.000Z',
    ...(step === 'ended' && { run_id: 'run_1', root: tree.root, result: result as never }),
  };
}

const copy = (step: ItemStep): Promise<void> => shareRecord(fleet.queue.documents, recordOf(step));
const write = (step: ItemStep, previous?: StoredRecord): Promise<StoredRecord | undefined> =>
  replaceItem(fleet.remote, previous, recordOf(step));

it('reports changes from the copies in the database, without the remote', async () => {
  renameSync(fleet.remote.url, `${fleet.remote.url}.away`);
  const watch = watchJob(fleet, job);
  expect(await watch(job)).toEqual({ job, changes: [], open: 1 });
  await copy('claimed');
  expect((await watch(job)).changes).toMatchObject([{ itemId: 'a', state: { step: 'claimed', by: 'w' } }]);
  expect((await watch(job)).changes).toEqual([]);
});

it('reads the refs before it reports that a job has ended', async () => {
  const watch = watchJob(fleet, job);
  const claimed = await write('claimed');
  await copy('ended');
  const early = await watch(job);
  expect([early.job.endedAt, early.changes.map(({ state }) => state.step)]).toEqual([undefined, ['claimed']]);
  await write('ended', claimed);
  const ended = await watch(job);
  expect([ended.job.endedAt, ended.changes.map(({ state }) => state.step)]).toEqual([
    '2026-11-18T10:00:00.000Z',
    ['ended'],
  ]);
});

it('reads the refs while the database is unreachable', async () => {
  const watch = watchJob(fleet, job);
  const read = async (): Promise<never> => {
    throw new Fault('E_NETWORK', 'The database is unreachable.');
  };
  Object.assign(fleet.queue.documents, { read });
  await write('claimed');
  expect((await watch(job)).changes).toMatchObject([{ itemId: 'a', state: { step: 'claimed' } }]);
});
