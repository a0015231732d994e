import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KILLABLE_DEED } from '../fixtures/killable-deed.ts';
import type { Run } from '../fixtures/run-deed.ts';
import { vybeInShell, vybe } from '../fixtures/run-vybe.ts';
import { LONG } from '../fixtures/start-node.ts';
import { createBench, item, resultsOf, type WorkBench } from '../fixtures/work-bench.ts';

let bench: WorkBench;
beforeAll(() => {
  bench = createBench();
});
beforeEach(() => bench.reset());
afterAll(() => bench.dispose());

const query = (...argv: string[]) => vybe(argv, { home: bench.home }).answer.data;
const titles = (): string[] => (query('task', 'list').tasks as { title: string }[]).map(({ title }) => title);
const outcomes = (): string[] =>
  (query('events', 'list', '--all', '--kind', 'run_ended').events as { metadata: { status: string } }[]).map(
    ({ metadata }) => metadata.status,
  );

/** Confirms a command and kills deed right before its first file operation that matches the pattern. */
function killBefore(pattern: string, ...argv: string[]): void {
  const { envelope } = bench.deed([...argv, '--dry-run']);
  const run = bench.deed([...argv, '--confirm', envelope.data.confirm_token as string], {
    executable: KILLABLE_DEED,
    env: { DEED_TEST_DIE_BEFORE: pattern },
  });
  expect([run.code, run.stdout]).toEqual([null, '']);
}

const verified = (): Run['envelope'] => bench.deed(['receipt', 'verify']).envelope;
const lastRun = () => bench.deed(['work', 'list', '--limit', '1']).envelope.data.items[0];

describe('deed killed with -9 during a promotion', () => {
  const work = (): string =>
    bench.plan(
      item(
        'both',
        `echo new > a.txt; mkdir d; echo x > d/e.txt; ${vybeInShell()} task create --title staged --desc x --request-id r >/dev/null`,
      ),
    );
  beforeEach(() => {
    vybe(['task', 'create', '--title', 'seed', '--desc', 'x', '--request-id', 's'], {
      home: bench.home,
    });
  });

  it('between the tree and the journal has both after recovery, and resume returns the run', () => {
    // The displaced file is deleted after the promotion is committed; the store is committed after that.
    killBefore('^unlinkSync .*/\\.deed-', 'work', 'run', work());
    expect(bench.read('a.txt')).toBe('new\n');
    expect(titles()).not.toContain('staged');
    expect(bench.confirmed('work', 'recover').envelope.data.recovered).toMatchObject([
      { outcome: 'finished' },
    ]);
    expect([bench.read('a.txt'), bench.read('d/e.txt')]).toEqual(['new\n', 'x\n']);
    expect(titles()).toContain('staged');
    expect([lastRun().status, outcomes(), verified().ok]).toEqual(['success', ['success'], true]);
    const { brief } = query(
      ...'resume --agent fresh --request-id again --project-dir'.split(' '),
      bench.tree,
    );
    expect(JSON.stringify(brief.runs)).toContain(lastRun().run_id);
  });

  it.runIf(LONG)('before the commit has neither after recovery', () => {
    const before = bench.readTree();
    killBefore('^mkdirSync .*/\\.deed-', 'work', 'run', work());
    expect(bench.confirmed('work', 'recover').envelope.data.recovered).toMatchObject([{ outcome: 'undone' }]);
    expect([bench.readTree(), titles().includes('staged')]).toEqual([before, false]);
    expect([lastRun().status, outcomes(), verified().ok]).toEqual(['failure', ['failure'], true]);
  });

  // The receipt is in the chain, but not yet in the signed head of the chain; src/work/receipt/long-chain.test.ts tests that without a kill.
  it
    .runIf(LONG)
    .each([
      '^renameSync .*receipts.head',
      '^appendFileSync .*after_hash',
      '^rmSync .*/state.json',
      '^rmSync .*/draft.json',
    ])('before %s leaves receipts that verify before and after recovery', (pattern) => {
    killBefore(pattern, 'work', 'run', work());
    expect(verified().error).toBeUndefined();
    bench.confirmed('work', 'recover');
    expect([verified().error, lastRun().status, bench.read('a.txt')]).toEqual([
      undefined,
      'success',
      'new\n',
    ]);
    expect([titles().includes('staged'), outcomes()]).toEqual([true, ['success']]);
  });
});

describe('deed killed with -9 during a rollback', () => {
  let runId: string;
  let before: Record<string, string>;
  beforeEach(() => {
    before = bench.readTree();
    runId = resultsOf(bench.work(item('one', 'echo new > a.txt; mkdir d; echo x > d/e.txt; rm b.txt')))[0]
      .run_id;
  });
  const rollbacks = () =>
    (bench.deed(['receipt', 'list']).envelope.data.items as { phase: string }[]).filter(
      ({ phase }) => phase === 'rollback',
    );

  // The tree is in the state before the run, but there is no receipt for it yet.
  it
    .runIf(LONG)
    .each([
      '^appendFileSync .*after_hash',
      '^unlinkSync .*/\\.deed-',
      '^renameSync .*/RECEIPT.json',
      '^renameSync .*/outbox/',
    ])('before %s has rolled the run back, and recovery issues the receipt', (pattern) => {
    killBefore(pattern, 'work', 'rollback', runId);
    expect(verified().error).toBeUndefined();
    expect(bench.confirmed('work', 'recover').envelope.data.recovered).toMatchObject([
      { outcome: 'finished' },
    ]);
    expect(bench.readTree()).toEqual(before);
    expect([rollbacks().length, verified().error, outcomes().toSorted()]).toEqual([
      1,
      undefined,
      ['rolled_back', 'success'],
    ]);
    expect(bench.confirmed('work', 'rollback', runId).envelope.error?.message).toContain(
      'was already rolled back',
    );
  });

  it.runIf(LONG)('before the commit has changed nothing, and the run can still be rolled back', () => {
    const promoted = bench.readTree();
    killBefore('^renameSync .*/objects/', 'work', 'rollback', runId);
    expect(bench.confirmed('work', 'recover').envelope.data.recovered).toMatchObject([{ outcome: 'undone' }]);
    expect([bench.readTree(), rollbacks(), verified().error]).toEqual([promoted, [], undefined]);
    expect(bench.confirmed('work', 'rollback', runId).envelope.ok).toBe(true);
    expect(bench.readTree()).toEqual(before);
  });
});

describe('deed killed with -9 at the start of a run', () => {
  const startedRun = (): string =>
    readdirSync(join(bench.home, 'runs')).find((name) => name.startsWith('run_')) ?? '';
  const follow = (id: string): unknown[] =>
    bench
      .deed(['work', 'log', id, '--follow'])
      .stdout.trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const nothing = [expect.objectContaining({ type: 'summary', data: { count: 0, complete: true } })];

  it.runIf(LONG)('does not keep those waiting who follow the run or its job', () => {
    killBefore('^renameSync .*/draft.json', 'work', 'run', bench.plan(item('x', 'true')));
    const jobId = readdirSync(join(bench.home, 'jobs')).find((name) => !name.includes('.')) ?? '';
    expect([follow(startedRun()), follow(jobId)]).toEqual([nothing, nothing]);
  });

  it.runIf(LONG)('is reported to those who follow a run that has no state', () => {
    killBefore('^renameSync .*/state.json', 'work', 'run', bench.plan(item('x', 'true')));
    expect(follow(startedRun())[0]).toMatchObject({ error: { code: 'E_TIMEOUT' } });
  });
});
