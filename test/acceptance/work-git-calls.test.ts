import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

/** The maximum number of git processes of a run with one item: one for the tree, three for its state, and the final checks. */
const MAX_CALLS = 7;

describe('work run of one item', () => {
  let bench: WorkBench;
  let log: string;
  let path: string;
  beforeAll(() => {
    bench = createBench();
    const folder = join(dirname(bench.home), 'counting');
    log = join(folder, 'calls');
    path = `${folder}:${process.env.PATH}`;
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    mkdirSync(folder);
    writeFileSync(join(folder, 'git'), `#!/bin/sh\necho "$1 $2" >> '${log}'\nexec '${git}' "$@"\n`);
    chmodSync(join(folder, 'git'), 0o755);
  });
  afterAll(() => bench.dispose());

  it('resolves the tree once and starts few git processes', () => {
    const plan = bench.plan([item('one', 'echo x > made.txt')]);
    const token = bench.deed(['work', 'run', plan, '--dry-run']).envelope.data.confirm_token as string;
    const run = bench.deed(['work', 'run', plan, '--confirm', token], { env: { PATH: path } });
    expect(run.envelope.data.results[0].status).toBe('success');
    const calls = readFileSync(log, 'utf8').trim().split('\n');
    expect(calls.filter((call) => call === 'rev-parse --is-bare-repository')).toHaveLength(1);
    expect(calls.length).toBeLessThanOrEqual(MAX_CALLS);
  });
});
