import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createBench, item } from '../fixtures/work-bench.ts';

const bench = createBench();
const config = readFileSync(join(bench.home, 'config.json'));
const mounted =
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m,mode=700', 'tmpfs', bench.home]).status === 0;
if (mounted) writeFileSync(join(bench.home, 'config.json'), config, { mode: 0o600 });
afterAll(() => {
  if (mounted) spawnSync('umount', [bench.home]);
  bench.dispose();
});

describe.runIf(mounted)('a run that fills the disk of the home', () => {
  it('fails with a receipt, leaves the tree unchanged, and frees the disk space', () => {
    const before = bench.readTree();
    const plan = bench.plan(
      item('fills', 'dd if=/dev/zero of=big bs=1M count=80 2>/dev/null; echo two > a.txt'),
    );
    const preview = bench.deed(['work', 'run', plan, '--dry-run']);
    const token = preview.envelope.data.confirm_token as string;
    const run = bench.deed(['work', 'run', plan, '--confirm', token]);
    expect(run.envelope.ok).toBe(false);
    expect(bench.readTree()).toEqual(before);
    const { items } = bench.deed(['work', 'list']).envelope.data as { items: { status: string }[] };
    expect(items.map(({ status }) => status)).toEqual(['failure']);
    expect(bench.deed(['receipt', 'verify']).envelope.error).toBeUndefined();
    // If the disk were still full, a dry run could not store its token.
    expect(bench.deed(['work', 'recover', '--dry-run']).envelope.ok).toBe(true);
  });
});
