import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sleep } from '../../src/base/sleep.ts';
import { ROOT, startDeed } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

let bench: WorkBench;
beforeAll(() => {
  bench = createBench();
});
beforeEach(() => bench.reset());
afterAll(() => bench.dispose());

/** Deed on Node instead of the executable: in a compiled executable, no other code can be loaded before the program. */
const KILLABLE_DEED = ['--import', 'die-before.ts', 'deed-on-node.ts'].map((word) =>
  word.startsWith('-') ? word : join(ROOT, 'test/fixtures/processes', word),
);

const ITEMS = LONG ? 40 : 5;
const ROUNDS = LONG ? 12 : 1;
const names = Array.from({ length: ITEMS }, (_, index) => `i${String(index).padStart(2, '0')}`);

/** Each item counts its executions outside the tree, where no promotion can undo them. */
const count = (id: string): string => `echo . >> ${join(bench.gate, id)}`;
const executions = (id: string): number => {
  try {
    return readFileSync(join(bench.gate, id), 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
};
const level = () =>
  names.map((id, index) => item(id, `${count(id)}; sleep 0.0${index % 5}; echo ${id} > ${id}.txt`));
const listed = (status: string): string[] =>
  bench
    .deed(['work', 'list', '--status', status, '--limit', '100'])
    .envelope.data.items.map(({ item_id }: { item_id: string }) => item_id);
const jobs = (): string[] => readdirSync(join(bench.home, 'jobs')).filter((name) => !name.endsWith('.lock'));

/** Starts the plan and kills deed with -9 when this many items have started. */
async function killAfter(started: number): Promise<void> {
  const plan = bench.plan(level());
  const flags = ['work', 'run', plan, '--jobs', '4'];
  const token = bench.deed([...flags, '--dry-run']).envelope.data.confirm_token as string;
  const child = startDeed([...flags, '--confirm', token], { home: bench.home, cwd: bench.tree });
  const ended = new Promise((resolve) => void child.once('exit', resolve));
  while (child.exitCode === null && names.filter((id) => executions(id) > 0).length < started) await sleep(5);
  child.kill('SIGKILL');
  await ended;
}

describe('a level of a plan that is killed with -9', () => {
  it('keeps every finished result: resuming promotes it and does not run it again', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      bench.reset();
      await killAfter(2 + Math.floor(Math.random() * (ITEMS - 2)));
      const stored = [...listed('ready'), ...listed('success')];
      const resumed = bench.confirmed('work', 'run', '--resume', jobs()[0] ?? '');
      expect(resumed.envelope).toMatchObject({ ok: true });
      expect(stored.filter((id) => executions(id) !== 1)).toEqual([]);
      expect(names.filter((id) => bench.read(`${id}.txt`) !== `${id}\n`)).toEqual([]);
      // At most the items that were running run a second time.
      expect(names.reduce((sum, id) => sum + executions(id), 0)).toBeLessThanOrEqual(ITEMS + 4);
      expect(bench.deed(['receipt', 'verify']).envelope).toMatchObject({ ok: true });
    }
  });

  it.runIf(LONG)('is promoted by recovery if all of it is stored, in the order of its items', () => {
    const plan = bench.plan(['b', 'a', 'c'].map((id) => item(id, `${count(id)}; echo ${id} > ${id}.txt`)));
    const token = bench.deed(['work', 'run', plan, '--dry-run']).envelope.data.confirm_token as string;
    // The first promotion starts with the contents of the base state.
    bench.deed(['work', 'run', plan, '--confirm', token], {
      executable: [process.execPath, ...KILLABLE_DEED],
      env: { DEED_TEST_DIE_BEFORE: '^renameSync .*/objects/snapshot-' },
    });
    expect(listed('ready').sort()).toEqual(['a', 'b', 'c']);
    expect(bench.confirmed('work', 'recover').envelope.data.promoted).toHaveLength(3);
    expect(['a', 'b', 'c'].map((id) => [bench.read(`${id}.txt`), executions(id)])).toEqual([
      ['a\n', 1],
      ['b\n', 1],
      ['c\n', 1],
    ]);
    const receipts = bench.deed(['work', 'list', '--status', 'success']).envelope.data.items;
    expect(receipts).toHaveLength(3);
    expect(bench.confirmed('work', 'run', '--resume', jobs()[0] ?? '').envelope).toMatchObject({ ok: true });
    expect(['a', 'b', 'c'].map(executions)).toEqual([1, 1, 1]);
  });
});

describe('a stored result', () => {
  /** Two items, of which the second one waits for a file; returns when the first one is stored and the second one runs. */
  async function storeFirst(): Promise<{ job: string; kill: () => Promise<void> }> {
    const hold = `while [ ! -e ${join(bench.gate, 'go')} ]; do sleep 0.02; done`;
    const plan = bench.plan([
      item('a', `${count('a')}; echo new > a.txt`),
      item('b', `${count('b')}; cat a.txt > seen.txt; ${hold}; cat a.txt >> seen.txt`),
    ]);
    const token = bench.deed(['work', 'run', plan, '--dry-run']).envelope.data.confirm_token as string;
    const argv = ['work', 'run', plan, '--jobs', '2', '--confirm', token];
    const child = startDeed(argv, { home: bench.home, cwd: bench.tree });
    const ended = new Promise((resolve) => void child.once('exit', resolve));
    const isReady = () => executions('b') > 0 && listed('ready').includes('a');
    while (child.exitCode === null && !isReady()) await sleep(20);
    return {
      job: jobs()[0] ?? '',
      kill: async () => {
        child.kill('SIGKILL');
        await ended;
      },
    };
  }

  it('is listed as ready, is not in the tree while other items run, and survives gc and recovery', async () => {
    const { job, kill } = await storeFirst();
    expect([listed('ready'), bench.read('a.txt')]).toEqual([['a'], 'one\n']);
    await kill();
    expect(bench.deed(['work', 'status', job]).envelope.data.items[0]).toMatchObject({ status: 'ready' });
    // The second item still has to run, so the level is not promoted yet.
    expect(bench.confirmed('work', 'recover').envelope.data).toMatchObject({ promoted: [] });
    expect(bench.confirmed('work', 'gc', '--keep-days', '0').envelope.data).toMatchObject({ kept_runs: 1 });
    expect(bench.read('a.txt')).toBe('one\n');
    bench.write('../gate/go', '');
    expect(bench.confirmed('work', 'run', '--resume', job).envelope).toMatchObject({ ok: true });
    expect([bench.read('a.txt'), executions('a'), executions('b')]).toEqual(['new\n', 1, 2]);
    expect(bench.read('seen.txt')).toBe('one\none\n');
  });

  it('conflicts with an edit of the same file, and the edit stays', async () => {
    const { job, kill } = await storeFirst();
    await kill();
    bench.write('a.txt', 'mine\n');
    bench.write('../gate/go', '');
    const resumed = bench.confirmed('work', 'run', '--resume', job);
    expect(resumed.envelope.error).toMatchObject({ code: 'E_CONFLICT' });
    expect([bench.read('a.txt'), executions('a')]).toEqual(['mine\n', 1]);
  });
});
