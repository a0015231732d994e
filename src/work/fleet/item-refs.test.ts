import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorkTree, type WorkTree } from '../../../test/fixtures/work-tree.ts';
import { listRefs } from '../workspace/remote/remote-refs.ts';
import {
  readItem,
  readItems,
  replaceItem,
  replaceItems,
  writeFirst,
  type StoredRecord,
} from './item-refs.ts';
import { parseItemRecord, type ItemRecord, type ItemStep } from './item-record.ts';

let tree: WorkTree;
let remote: Parameters<typeof readItem>[0];
let main: string;
beforeEach(() => {
  tree = createWorkTree();
  const url = join(tree.root, '../remote.git');
  execFileSync('git', ['clone', '-q', '--bare', tree.root, url]);
  remote = { root: tree.root, url, workspace: tree.context };
  main = `refs/heads/${tree.git('symbolic-ref', '--short', 'HEAD').trim()}`;
});
afterEach(() => tree.dispose());

function recordOf(step: ItemStep, retry: number, more: Partial<ItemRecord> = {}): ItemRecord {
  const common = {
    version: 1,
    job_id: 'job_1',
    item_id: 'a.b',
    attempt: retry + 1,
    by: `w${retry}`,
  } as const;
  return { ...common, step, fence: { round: 0, retry }, at: '2026-11-17T00:00:00.000Z', ...more };
}

it('a worker whose claim was replaced can neither deliver its result nor promote it', async () => {
  const first = await replaceItem(remote, undefined, recordOf('claimed', 0));
  const second = await replaceItem(remote, first, recordOf('claimed', 1));
  expect(second).toBeDefined();
  const tip = tree.git('rev-parse', 'HEAD').trim();
  tree.write('a.txt', 'two\n');
  tree.git('commit', '-qam', 'two');
  const commit = tree.git('rev-parse', 'HEAD').trim();
  const promote = (previous: StoredRecord | undefined, retry: number) => {
    const record = recordOf('promoted', retry, { commit });
    return replaceItems(remote, [{ previous, record }], [{ ref: main, from: tip, to: commit }]);
  };
  expect(await replaceItem(remote, first, recordOf('result', 0, { commit }))).toBeUndefined();
  expect(await promote(first, 0)).toBeUndefined();
  expect((await listRefs(tree.context, remote, [main])).get(main)).toBe(tip);
  expect(await readItem(remote, 'job_1', 'a.b')).toEqual(second);
  expect(await promote(second, 1)).toBeDefined();
  expect((await listRefs(tree.context, remote, [main])).get(main)).toBe(commit);
});

it('a first attempt whose claim is only in its clone cannot deliver once another attempt has claimed the item', async () => {
  const first = await writeFirst(remote, recordOf('claimed', 0));
  expect(await readItem(remote, 'job_1', 'a.b')).toBeUndefined();
  const second = await replaceItem(remote, undefined, recordOf('claimed', 1));
  expect(await replaceItem(remote, first, recordOf('result', 0))).toBeUndefined();
  expect(await readItem(remote, 'job_1', 'a.b')).toEqual(second);
});

it('a first attempt delivers its claim and its result in one step, once', async () => {
  const first = await writeFirst(remote, recordOf('claimed', 0));
  const result = await replaceItem(remote, first, recordOf('result', 0));
  expect(await readItem(remote, 'job_1', 'a.b')).toEqual(result);
  const steps = tree.git('log', '--first-parent', '--reverse', '--format=%s', result?.commit ?? '');
  expect(steps.trim().split('\n')).toEqual(['claimed a.b (attempt 1)', 'result a.b (attempt 1)']);
  expect(await replaceItem(remote, first, recordOf('ended', 0))).toBeUndefined();
  expect(await replaceItem(remote, undefined, recordOf('claimed', 1))).toBeUndefined();
});

it('items move together or not at all', async () => {
  const [a, b] = [recordOf('claimed', 0), recordOf('claimed', 0, { item_id: 'b' })];
  const stored = await replaceItems(remote, [
    { previous: undefined, record: a },
    { previous: undefined, record: b },
  ]);
  expect([...(await readItems(remote, 'job_1')).values()]).toEqual(stored);
  const [first, second] = stored ?? [];
  await replaceItem(remote, second, { ...b, step: 'cancelled' });
  const results = [
    { previous: first, record: recordOf('result', 0) },
    { previous: second, record: recordOf('result', 0, { item_id: 'b' }) },
  ];
  expect(await replaceItems(remote, results)).toBeUndefined();
  expect(await readItem(remote, 'job_1', 'a.b')).toEqual(first);
});

it('another clone reads the records of a job', async () => {
  const stored = await replaceItem(remote, undefined, recordOf('claimed', 0));
  const clone = join(tree.root, '../clone');
  execFileSync('git', ['clone', '-q', remote.url, clone]);
  const items = await readItems({ ...remote, root: clone }, 'job_1');
  expect([...items]).toEqual([['a.b', stored]]);
  expect(await readItems({ ...remote, root: clone }, 'job_1', ['other'])).toEqual(new Map());
});

it('a record must belong to its ref, and its ids must have the form of ids', async () => {
  const stored = await replaceItem(remote, undefined, recordOf('claimed', 0));
  const copyTo = (ref: string): string =>
    execFileSync('git', ['update-ref', ref, stored?.commit ?? ''], { cwd: remote.url, encoding: 'utf8' });
  copyTo('refs/heads/refs/deed/items/job_1/a%2Eb');
  expect([...(await readItems(remote, 'job_1')).keys()]).toEqual(['a.b']);
  copyTo('refs/deed/items/job_1/other');
  await expect(readItem(remote, 'job_1', 'other')).rejects.toMatchObject({ code: 'E_DAMAGED' });
  for (const wrong of [
    { run_id: '../../../../x' },
    { run_id: 'run_../x' },
    { commit: '--all' },
    { base: 'HEAD' },
  ])
    expect(() => parseItemRecord(JSON.stringify(recordOf('result', 0, wrong)), 'ref')).toThrow(
      expect.objectContaining({ code: 'E_DAMAGED' }),
    );
});

it('a ref that another program wrote is reported, with its name', async () => {
  tree.git('push', '-q', remote.url, 'HEAD:refs/deed/items/job_1/x');
  await expect(readItem(remote, 'job_1', 'x')).rejects.toMatchObject({ code: 'E_DAMAGED' });
});
