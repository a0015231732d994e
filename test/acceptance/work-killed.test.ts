import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT, type Run } from '../fixtures/run-deed.ts';
import { vybe, vybeInShell } from '../fixtures/run-vybe.ts';
import { LONG } from '../fixtures/start-node.ts';
import { createBench, item, resultsOf, type WorkBench } from '../fixtures/work-bench.ts';

/** The same source on Node: nothing can be loaded before the program of a compiled executable. */
const DYING_DEED = ['--import', 'die-before.ts', 'deed-on-node.ts'].map((word) =>
  word.startsWith('-') ? word : join(ROOT, 'test/fixtures/processes', word),
);

let bench: WorkBench;
beforeEach(() => {
  bench = createBench();
});
afterEach(() => bench.dispose());

const ask = (...argv: string[]) => vybe(argv, { home: bench.home }).answer.data;
const titles = (): string[] => (ask('task', 'list').tasks as { title: string }[]).map(({ title }) => title);
const ends = (): string[] =>
  (ask('events', 'list', '--all', '--kind', 'run_ended').events as { metadata: { status: string } }[]).map(
    ({ metadata }) => metadata.status,
  );

/** Moments of one kind: the decisive one always, the others when there is time. */
const moments = (decisive: string, ...others: string[]): string[] => [decisive, ...(LONG ? others : [])];

/** Confirms a command and kills deed right before its first change on disk that is spelled so. */
function killBefore(pattern: string, ...argv: string[]): void {
  const { envelope } = bench.deed([...argv, '--dry-run']);
  const run = bench.deed([...argv, '--confirm', envelope.data.confirm_token as string], {
    executable: [process.execPath, ...DYING_DEED],
    env: { DEED_TEST_DIE_BEFORE: pattern },
  });
  expect([run.code, run.stdout]).toEqual([null, '']);
}

const verified = (): Run['envelope'] => bench.deed(['receipt', 'verify']).envelope;
const lastRun = () => bench.deed(['work', 'list', '--limit', '1']).envelope.data.items[0];

describe('deed killed with -9 while a run goes into the tree', () => {
  const work = (): string =>
    bench.plan(
      item(
        'both',
        `echo new > a.txt; mkdir d; echo x > d/e.txt; ${vybeInShell()} task create --title staged --desc x --request-id r >/dev/null`,
      ),
    );
  beforeEach(() => {
    vybe(['task', 'create', '--title', 'seed', '--desc', 'x', '--request-id', 's'], { home: bench.home });
  });

  it('between the tree and the journal has both after recovery, and resume tells it', () => {
    // The displaced file goes once it is decided for the tree; the store is committed after that.
    killBefore('^unlinkSync .*/\\.deed-', 'work', 'run', work());
    expect(bench.read('a.txt')).toBe('new\n');
    expect(titles()).not.toContain('staged');
    expect(bench.confirmed('work', 'recover').envelope.data.recovered).toMatchObject([
      { outcome: 'finished' },
    ]);
    expect([bench.read('a.txt'), bench.read('d/e.txt')]).toEqual(['new\n', 'x\n']);
    expect(titles()).toContain('staged');
    expect([lastRun().status, ends(), verified().ok]).toEqual(['success', ['success'], true]);
    const { brief } = ask(...'resume --agent fresh --request-id again --project-dir'.split(' '), bench.tree);
    expect(JSON.stringify(brief.runs)).toContain(lastRun().run_id);
  });

  it('before it is decided has neither after recovery', () => {
    const seen = bench.look();
    killBefore('^mkdirSync .*/\\.deed-', 'work', 'run', work());
    expect(bench.confirmed('work', 'recover').envelope.data.recovered).toMatchObject([{ outcome: 'undone' }]);
    expect([bench.look(), titles().includes('staged')]).toEqual([seen, false]);
    expect([lastRun().status, ends(), verified().ok]).toEqual(['failure', ['failure'], true]);
  });

  // The receipt is in the chain, and the head that seals the chain does not know it yet.
  it.each(
    moments(
      '^renameSync .*receipts.head',
      '^appendFileSync .*after_hash',
      '^rmSync .*/state.json',
      '^rmSync .*/draft.json',
    ),
  )('before %s leaves receipts that verify, before recovery and after it', (pattern) => {
    killBefore(pattern, 'work', 'run', work());
    expect(verified().error).toBeUndefined();
    bench.confirmed('work', 'recover');
    expect([verified().error, lastRun().status, bench.read('a.txt')]).toEqual([
      undefined,
      'success',
      'new\n',
    ]);
    expect([titles().includes('staged'), ends()]).toEqual([true, ['success']]);
  });
});

describe('deed killed with -9 while it takes a run back', () => {
  let runId: string;
  let before: Record<string, string>;
  beforeEach(() => {
    before = bench.look();
    runId = resultsOf(bench.work(item('one', 'echo new > a.txt; mkdir d; echo x > d/e.txt; rm b.txt')))[0]
      .run_id;
  });
  const rollbacks = () =>
    (bench.deed(['receipt', 'list']).envelope.data.items as { phase: string }[]).filter(
      ({ phase }) => phase === 'rollback',
    );

  // The tree is as before the run, and no receipt says so yet.
  it.each(
    moments(
      '^appendFileSync .*after_hash',
      '^unlinkSync .*/\\.deed-',
      '^renameSync .*/RECEIPT.json',
      '^renameSync .*/outbox/',
    ),
  )('before %s has taken it back, and recovery gives the receipt that says so', (pattern) => {
    killBefore(pattern, 'work', 'rollback', runId);
    expect(verified().error).toBeUndefined();
    expect(bench.confirmed('work', 'recover').envelope.data.recovered).toMatchObject([
      { outcome: 'finished' },
    ]);
    expect(bench.look()).toEqual(before);
    expect([rollbacks().length, verified().error, ends().toSorted()]).toEqual([
      1,
      undefined,
      ['rolled_back', 'success'],
    ]);
    expect(bench.confirmed('work', 'rollback', runId).envelope.error?.message).toContain(
      'was taken back already',
    );
  });

  it('before it is decided has changed nothing, and the run can still be taken back', () => {
    const promoted = bench.look();
    killBefore('^renameSync .*/objects/', 'work', 'rollback', runId);
    expect(bench.confirmed('work', 'recover').envelope.data.recovered).toMatchObject([{ outcome: 'undone' }]);
    expect([bench.look(), rollbacks(), verified().error]).toEqual([promoted, [], undefined]);
    expect(bench.confirmed('work', 'rollback', runId).envelope.ok).toBe(true);
    expect(bench.look()).toEqual(before);
  });
});
