import { execFileSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measureFolder } from '../../src/system/measure-folder.ts';
import { LONG } from '../fixtures/start-node.ts';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** More than a tree has that is copied as a whole. */
const FILES = 12;
const FILE_BYTES = 43 * 1024 * 1024;
const CHANGED_BYTES = 4 * 1024 * 1024;
/** One file before and after its change, one that is removed, and what every run writes. */
const MAX_GROWTH_BYTES = 3 * CHANGED_BYTES + 8 * 1024 * 1024;

/** The short suite has this with small files and a small limit: open-workspace.test.ts. */
describe.runIf(LONG)('a run in a tree with large files that are not in git', () => {
  let bench: WorkBench;
  const contents = new Map<string, Buffer>();
  const at = (name: string): string => join(bench.tree, name);
  const isAsBefore = (): boolean =>
    [...contents].every(([name, content]) => readFileSync(at(name)).equals(content));
  beforeAll(() => {
    bench = createBench();
    for (let index = 0; index < FILES; index += 1)
      contents.set(`large-${index}.bin`, randomFillSync(Buffer.alloc(FILE_BYTES)));
    for (const name of ['changed.bin', 'removed.bin'])
      contents.set(name, randomFillSync(Buffer.alloc(CHANGED_BYTES)));
    for (const [name, content] of contents) writeFileSync(at(name), content);
  });
  afterAll(() => bench.dispose());

  it('copies only those that it changes, can be replayed and rolled back, and names a file that others changed', () => {
    const before = measureFolder(bench.home);
    const run = bench.work([item('one', 'echo x >> changed.bin && rm removed.bin && echo x > c.txt')]);
    expect(run.envelope.error).toBeUndefined();
    expect(measureFolder(bench.home) - before).toBeLessThan(MAX_GROWTH_BYTES);
    const { run_id: id } = (run.envelope.data.results as { run_id: string }[])[0] as { run_id: string };
    const replayed = bench.deed(['work', 'replay', id]);
    expect(replayed.envelope.error).toBeUndefined();
    expect(bench.confirmed('work', 'rollback', id).envelope.error).toBeUndefined();
    expect(isAsBefore()).toBe(true);

    writeFileSync(at('large-2.bin'), 'other');
    const { error } = bench.deed(['work', 'replay', id]).envelope;
    expect([error?.code, error?.message]).toEqual(['E_NOT_FOUND', expect.stringContaining('large-2.bin')]);
    rmSync(at('large-2.bin'));
  }, 180_000);
});

describe('a changed file of several megabytes', () => {
  let bench: WorkBench;
  beforeAll(() => {
    bench = createBench();
    bench.git('config', 'user.name', 'Ada');
    bench.git('config', 'user.email', 'ada@example.org');
  });
  afterAll(() => bench.dispose());
  const script = 'seq 1 400000 > numbers.txt';
  const expected = Array.from({ length: 400_000 }, (_, index) => `${index + 1}\n`).join('');

  it('is committed to a branch with all of its content', () => {
    const run = bench.work([item('one', script)], '--branch', 'numbers');
    expect(run.envelope.error).toBeUndefined();
    const shown = execFileSync('git', ['show', 'numbers:numbers.txt'], {
      cwd: bench.tree,
      maxBuffer: MAX_BYTES,
    });
    expect(shown.toString() === expected).toBe(true);
  });

  it('is searched as a whole for what an item forbids', () => {
    const run = bench.work([item('one', script, { forbid: ['^12345$'] })]);
    expect(run.envelope.error?.code).toBe('E_DENIED');
  });
});
