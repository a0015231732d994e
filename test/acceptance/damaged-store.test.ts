import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

const DAMAGED_SESSION = 'd'.repeat(32);

let bench: WorkBench;
let waiting: string;
let bytes: Buffer;
const store = (): string => join(bench.home, 'deed.db');

beforeAll(() => {
  bench = createBench();
  waiting = bench.work(item('asks', 'printf y > y.txt', { approval: true })).envelope.error?.details.run_id;
  expect(bench.confirmed('task', 'create', '--title', 'x').code).toBe(0);
  mkdirSync(join(bench.home, 'sessions'), { recursive: true, mode: 0o700 });
  writeFileSync(join(bench.home, 'sessions', `${DAMAGED_SESSION}.jsonl`), '{"no":1}\n{"no":2}\n', {
    mode: 0o600,
  });
  bytes = readFileSync(store());
});
afterEach(() => {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${store()}${suffix}`, { recursive: true, force: true });
  writeFileSync(store(), bytes, { mode: 0o600 });
});
afterAll(() => bench.dispose());

const changed = (change: (copy: Buffer) => Buffer): void =>
  writeFileSync(store(), change(Buffer.from(bytes)), { mode: 0o600 });

const DAMAGES: readonly (readonly [string, () => void])[] = [
  ['removed', () => rmSync(store())],
  ['emptied', () => changed(() => Buffer.alloc(0))],
  ['cut', () => changed((copy) => copy.subarray(0, copy.length / 2))],
  ['overwritten at its start', () => changed((copy) => copy.fill('A', 0, 100))],
  ['overwritten in the middle', () => changed((copy) => copy.fill('A', 4096, copy.length - 4096))],
  [
    'replaced by a folder',
    () => {
      rmSync(store());
      mkdirSync(store());
    },
  ],
];

const PROBLEM = {
  part: 'store',
  code: 'E_DAMAGED',
  message: expect.stringContaining('deed.db'),
  fix: expect.stringContaining('deed store restore --dry-run'),
};

describe.each(DAMAGES)('a store that was %s', (_how, damage) => {
  it('does not hide what waits from the overview, which names the damage and what to do', () => {
    damage();
    for (const argv of [['overview'], []]) {
      const { code, envelope } = bench.deed(argv);
      expect(code).toBe(0);
      expect(envelope.data).toMatchObject({ tasks: null, problems: [PROBLEM] });
      expect(envelope.data.waiting).toContainEqual(expect.objectContaining({ kind: 'run', id: waiting }));
      expect(envelope.data.next[0].command).toBe('deed doctor');
    }
    const page = bench.deed(['overview', '--format', 'text']).stdout;
    expect(page).toContain('E_DAMAGED: ');
    expect(page).toContain('deed store restore --dry-run');
    expect(page).toContain(`deed work approve ${waiting}`);
    expect(page).toContain('Tasks  unknown');
  });

  it('does not keep gc and the pruning of sessions from the other parts', () => {
    damage();
    const { envelope } = bench.deed(['gc', '--dry-run']);
    const parts: { id: string; resource: string; after: { problem: string | null } }[] =
      envelope.data.preview.changes;
    const broken = parts.filter(({ after }) => after.problem !== null).map(({ resource }) => resource);
    // A store that does not exist has nothing to delete.
    expect(broken.filter((part) => part !== 'store')).toEqual([]);
    expect(parts.length).toBeGreaterThan(5);
    expect(bench.deed(['agent', 'sessions', 'prune', '--dry-run']).code).toBe(0);
    expect(bench.confirmed('work', 'gc').code).toBe(0);
  });

  it('reads as damaged, not as empty, and can be restored', () => {
    damage();
    for (const argv of [
      ['task', 'list'],
      ['task', 'next'],
      ['memory', 'list'],
      ['events', 'list', '--all'],
    ])
      expect(bench.deed(argv).envelope.error, argv.join(' ')).toMatchObject({ code: 'E_DAMAGED' });
    const { checks } = bench.deed(['doctor']).envelope.data;
    expect(checks.find(({ check }: { check: string }) => check === 'store')).toMatchObject({
      status: 'fail',
      fix: expect.stringContaining('store restore'),
    });
    const { confirm_token: token } = bench.deed(['store', 'restore', '--dry-run']).envelope.data;
    expect(bench.deed(['store', 'restore', '--dangerous', '--confirm', token]).code).toBe(0);
    expect(bench.deed(['task', 'list']).code).toBe(0);
  });
});

it('the overview of an intact store has no problems', () => {
  const { data } = bench.deed(['overview']).envelope;
  expect([data.problems, data.tasks.pending]).toEqual([undefined, 1]);
});

it('a file in the place of a folder is named by the overview, which shows the rest', () => {
  for (const [folder, part] of [
    ['jobs', 'work'],
    ['sessions', 'sessions'],
  ] as const) {
    const [path, kept] = [join(bench.home, folder), join(bench.home, `${folder}.kept`)];
    renameSync(path, kept);
    writeFileSync(path, 'x', { mode: 0o600 });
    const { data } = bench.deed(['overview']).envelope;
    expect(data).toMatchObject({ problems: [{ part }], tasks: { pending: 1 } });
    expect(data.problems[0].message).toContain(path);
    expect(data.waiting.length).toBeGreaterThan(0);
    rmSync(path);
    renameSync(kept, path);
  }
});

it('a damaged session is named by the overview and the list, also if a folder is in its place', () => {
  const path = join(bench.home, 'sessions', `${DAMAGED_SESSION}.jsonl`);
  const named = { kind: 'session', id: DAMAGED_SESSION };
  const check = (): void => {
    expect(bench.deed(['overview']).envelope.data.waiting).toContainEqual(expect.objectContaining(named));
    expect(bench.deed(['agent', 'sessions', 'list']).envelope.data.items).toMatchObject([
      { id: DAMAGED_SESSION, status: 'damaged' },
    ]);
    expect(bench.deed(['agent', 'sessions', 'show', DAMAGED_SESSION]).envelope.error?.code).toBe('E_DAMAGED');
  };
  check();
  rmSync(path);
  mkdirSync(path);
  check();
  rmSync(path, { recursive: true });
});
