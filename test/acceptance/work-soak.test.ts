import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LONG } from '../fixtures/start-node.ts';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

const JOBS = LONG ? 40 : 2;
/** Five runs per job: promoted, denied, failed, failed tests, and one that leaves a process running. */
const RUNS_PER_JOB = 5;

/** The stat cache may contain a few more files at the end. */
const TOLERANCE_BYTES = 4096;

let bench: WorkBench;
beforeEach(() => {
  bench = createBench();
});
afterEach(() => bench.dispose());

it.runIf(LONG)(
  `${JOBS * RUNS_PER_JOB} runs with every outcome leave no process, no mount, and only their receipts on disk`,
  () => {
    const mounts = currentMounts();
    const job = (round: number): void => {
      const run = bench.work([
        item('good', `echo ${round} > counter.txt; echo ${round} > round-${round % 5}.txt`),
        item('greedy', 'for n in 1 2 3; do echo $n > g$n; done', { constraints: { max_files: 2 } }),
        item('broken', 'echo x > half.txt; exit 3'),
        item('untested', 'echo y > wrong.txt', { test_command: 'false' }),
        item('litter', `(setsid sleep 600 </dev/null >/dev/null 2>&1 &); echo ${round} > litter.txt`),
      ]);
      const results = (run.envelope.error?.details.results ?? []) as { item_id: string; status: string }[];
      expect(Object.fromEntries(results.map(({ item_id, status }) => [item_id, status]))).toEqual({
        good: 'success',
        greedy: 'denied',
        broken: 'failure',
        untested: 'failure',
        litter: 'success',
      });
    };
    const sizes: number[] = [];
    for (let round = 0; round < JOBS; round += 1) {
      job(round);
      bench.confirmed('work', 'gc', '--keep-days', '0');
      sizes.push(bytesBelow(join(bench.home, 'work')));
    }
    expect(processesOf(bench.home)).toEqual([]);
    expect(currentMounts()).toEqual(mounts);
    // Receipts stay; other data of the runs does not accumulate.
    expect(sizes.at(-1)).toBeLessThanOrEqual((sizes[0] ?? 0) + TOLERANCE_BYTES);
    expect(Object.keys(bench.readTree()).filter((name) => /^(?:g\d|half|wrong)/u.test(name))).toEqual([]);
  },
  LONG ? 1_800_000 : 180_000,
);

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function currentMounts(): readonly string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes('overlay') || line.includes(bench.home));
}

/** Pids of running processes with the environment variable of a run of this home. */
function processesOf(home: string): readonly number[] {
  const runs = new Set(readdirSync(join(home, 'runs')));
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const run = /(?:^|\0)DEED_RUN_ID=([^\0]*)/u.exec(readFileSync(`/proc/${pid}/environ`, 'latin1'));
        return run?.[1] !== undefined && runs.has(run[1]);
      } catch {
        return false;
      }
    });
}
