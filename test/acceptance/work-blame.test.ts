import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';
import { LONG } from '../fixtures/start-node.ts';

/** Each line says who wrote it: `r<n>` the run of that number, `p` a person. */
const FIRST = Array.from({ length: 12 }, (_, index) => `p first ${index}`);
const HISTORIES = LONG ? 50 : 4;

let bench: WorkBench;
let saved: string;
const runs: string[] = [];

const identity = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org' };

beforeAll(() => {
  bench = createBench();
  saved = join(dirname(bench.tree), 'saved');
  bench.git('config', 'user.name', 'Ada');
  bench.git('config', 'user.email', 'ada@example.org');
  bench.write('f.txt', `${FIRST.join('\n')}\n`);
  bench.git('add', '.');
  bench.git('commit', '-qm', 'first lines');
  for (const [number, at] of [3, 6, 9].entries()) {
    const script = `sed -i '/^p first ${at}$/a r${number} one\\n\\nr${number} two' f.txt; echo r${number} other >> other.txt`;
    const run = bench.work([item(`r${number}`, script)], '--branch', 'deed/runs');
    runs.push(run.envelope.data.results[0].run_id as string);
  }
  cpSync(bench.tree, saved, { recursive: true });
});
afterAll(() => bench.dispose());

/** Blames all lines of a file and compares them with what they say. */
function checkLines(file: string, history: string): string[] {
  const { data, error } = bench.deed(['work', 'blame', file], { env: identity }).envelope;
  expect([history, error?.message]).toEqual([history, undefined]);
  const lines = data.lines as { text: string; run_id: string | null; by: string }[];
  const wrong = lines.filter(({ text, run_id }) => {
    const author = /^r(\d)/u.exec(text)?.[1];
    return text !== '' && run_id !== (author === undefined ? null : runs[Number(author)]);
  });
  expect([history, wrong]).toEqual([history, []]);
  expect([history, lines.map(({ text }) => text)]).toEqual([
    history,
    readFileSync(join(bench.tree, file), 'utf8').trimEnd().split('\n'),
  ]);
  return lines.map(({ by }) => by);
}

/** A small generator, so that each history is the same in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

interface History {
  readonly random: (below: number) => number;
  file: string;
  step: number;
}

function edit(history: History, at = history.random(3)): void {
  const path = join(bench.tree, history.file);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  history.step += 1;
  // At the ends and between lines of runs, so that most rebases have no conflict.
  lines.splice([0, lines.length, Math.floor(lines.length / 2)][at] ?? 0, 0, `p step ${history.step}`);
  writeFileSync(path, `${lines.join('\n')}\n`);
}

const quiet = (...args: string[]): boolean => {
  try {
    bench.git(...args);
    return true;
  } catch {
    return false;
  }
};

const STEPS: Readonly<Record<string, (history: History) => void>> = {
  'amend with a line': (history) => {
    edit(history);
    bench.git('commit', '-qa', '--amend', '--no-edit');
  },
  'amend the message': () => void bench.git('commit', '-q', '--amend', '-m', 'another message'),
  commit: (history) => {
    edit(history);
    bench.git('commit', '-qam', `step ${history.step}`);
  },
  'uncommitted edit': (history) => edit(history),
  rebase: () => {
    bench.git('stash', '-q');
    if (!quiet('rebase', '-q', 'upstream')) bench.git('rebase', '--abort');
    quiet('stash', 'pop');
  },
  'squash without the messages': () => {
    bench.git('reset', '-q', '--soft', bench.git('merge-base', 'HEAD', 'main').trim());
    bench.git('commit', '-qm', 'squashed');
  },
  'squash with the messages': (history) => {
    bench.git('stash', '-q');
    const [name, base] = [`squash-${history.step}`, bench.git('merge-base', 'HEAD', 'main').trim()];
    const tip = bench.git('rev-parse', 'HEAD').trim();
    history.step += 1;
    bench.git('checkout', '-q', '-b', `${name}-${history.step}`, base);
    bench.git('merge', '-q', '--squash', tip);
    bench.git('commit', '-q', '--no-edit');
    quiet('stash', 'pop');
  },
  'cherry-pick': (history) => {
    bench.git('stash', '-q');
    const commits = bench.git('rev-list', '--reverse', 'main..HEAD').trim().split('\n').filter(Boolean);
    const back = bench.git('rev-parse', 'HEAD').trim();
    history.step += 1;
    bench.git('checkout', '-q', '-b', `picked-${history.step}`, 'upstream');
    if (!quiet('cherry-pick', '--allow-empty', ...commits)) {
      bench.git('cherry-pick', '--abort');
      bench.git('checkout', '-q', '-B', `picked-${history.step}`, back);
    }
    quiet('stash', 'pop');
  },
  rename: (history) => {
    const name = `renamed-${history.step}.txt`;
    history.step += 1;
    bench.git('mv', history.file, name);
    bench.git('commit', '-qam', 'rename');
    history.file = name;
  },
};

function restore(): void {
  rmSync(bench.tree, { recursive: true });
  cpSync(saved, bench.tree, { recursive: true });
  bench.git('checkout', '-q', '-b', 'upstream');
  bench.write('upstream.txt', 'p upstream\n');
  bench.git('add', '.');
  bench.git('commit', '-qm', 'upstream');
  bench.git('checkout', '-q', '-b', 'work', 'deed/runs');
}

describe('work blame', () => {
  it('finds the run of each line by the trailer of its commit, and of one line', () => {
    restore();
    expect(new Set(checkLines('f.txt', 'as landed'))).toEqual(new Set(['trailer', 'unknown']));
    const one = bench.deed(['work', 'blame', 'f.txt:5']).envelope.data;
    expect(one.lines).toEqual([
      {
        line: 5,
        text: 'r0 one',
        run_id: runs[0],
        by: 'trailer',
        commit: bench.git('log', '--format=%H', '--reverse', 'main..deed/runs').split('\n')[0],
      },
    ]);
    expect(bench.deed(['work', 'blame', 'f.txt:5', '--format', 'raw']).stdout).toBe(
      `${runs[0]}\t5\tr0 one\n`,
    );
  });

  it('finds uncommitted lines of a run that changed the tree by what it recorded', () => {
    restore();
    const run = bench.work([item('tree', "echo 'r3 in the tree' >> f.txt")]).envelope.data.results[0];
    runs[3] = run.run_id as string;
    edit({ random: () => 0, file: 'f.txt', step: 0 }, 0);
    expect(new Set(checkLines('f.txt', 'in the tree'))).toEqual(new Set(['trailer', 'lines', 'unknown']));
    bench.git('commit', '-qam', 'all');
    expect(new Set(checkLines('f.txt', 'committed by hand'))).toEqual(
      new Set(['trailer', 'lines', 'unknown']),
    );
  });

  it('names the run of a commit that another home made, and no run for a forged trailer', () => {
    restore();
    bench.write('g.txt', 'x\n');
    bench.git('add', '.');
    bench.git('commit', '-qm', 'foreign\n\nDeed-Run: run_6a2x74g1q2w8d');
    const lines = () => bench.deed(['work', 'blame', 'g.txt']).envelope.data.lines[0];
    expect(lines()).toMatchObject({ run_id: 'run_6a2x74g1q2w8d', by: 'trailer' });
    bench.git('commit', '-q', '--amend', '-m', `forged\n\nDeed-Run: ${runs[0]}`);
    expect(lines()).toMatchObject({ run_id: null, by: 'unknown' });
  });

  it.each([
    ['a file that does not exist', 'nope.txt', 'E_NOT_FOUND', 'File not found'],
    ['a line that does not exist', 'f.txt:999', 'E_NOT_FOUND', 'lines, not 999'],
    ['a file that is not text', 'binary', 'E_VALIDATION', 'is binary or larger'],
  ])('rejects %s', (_, file, code, text) => {
    bench.write('binary', 'a\0b');
    const { error } = bench.deed(['work', 'blame', file]).envelope;
    expect([error?.code, error?.message]).toEqual([code, expect.stringContaining(text)]);
  });

  it(`agrees with ${HISTORIES} histories of amends, rebases, squashes and cherry-picks, and writes no settings`, () => {
    const names = Object.keys(STEPS);
    const seen = new Set<string>();
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      restore();
      const settings = readFileSync(join(bench.tree, '.git/config'), 'utf8');
      const history: History = { random: createRandom(seed), file: 'f.txt', step: 0 };
      const steps = Array.from(
        { length: 3 + history.random(4) },
        () => names[history.random(names.length)] ?? '',
      );
      for (const step of steps) STEPS[step]?.(history);
      for (const by of checkLines(history.file, `history ${seed}: ${steps.join(', ')}`)) seen.add(by);
      expect(readFileSync(join(bench.tree, '.git/config'), 'utf8')).toBe(settings);
    }
    expect(seen).toEqual(new Set(['trailer', 'lines', 'unknown']));
  });
});
