import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../fixtures/run-deed.ts';
import { vybe } from '../fixtures/run-vybe.ts';
import { hasTerminal, screenOf } from '../fixtures/screen.ts';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

const TITLES = [
  'Reject invalid dates in the import of invoices, with the number of the line and a hint',
  'Add the export of invoices as CSV',
  'Fix the rounding of discounts',
];

/** What people see, as files that are read in a review. `vitest -u` writes them. */
describe.runIf(hasTerminal)('on a terminal', () => {
  let bench: WorkBench;
  beforeAll(() => {
    bench = createBench({}, { ownHome: true });
    let calls = 0;
    const write = (...argv: string[]): void => {
      const id = ['--agent', 'claude-app', '--request-id', `r${(calls += 1)}`];
      vybe([...argv, ...id], { home: bench.home });
    };
    for (const title of TITLES) write('task', 'create', '--title', title, '--desc', `${title}.`);
    write('memory', 'set', '--key', 'test.command', '--value', 'npm test -- import');
    bench.work(
      [
        item('tea', 'echo tea > menu.txt', { test_command: 'test -e menu.txt' }),
        item('milk', 'echo milk > milk.txt; exit 3'),
      ],
      '--jobs',
      '1',
    );
  });
  afterAll(() => bench.dispose());
  const screen = (columns: number, ...argv: string[]): string =>
    screenOf(argv, { home: bench.home, cwd: bench.tree, columns });
  const file = (name: string, columns: number): string =>
    join(ROOT, 'test/fixtures/screens', `${name.replaceAll(' ', '-')}-${columns}.txt`);

  describe.each([80, 120])('of %i columns', (columns) => {
    it.each([
      ['overview', ['--format', 'text']],
      ['task list', ['task', 'list', '--format', 'text']],
      ['task next', ['task', 'next', '--format', 'text']],
      ['events list', ['events', 'list', '--all', '--kind', 'task_created', '--format', 'text']],
      ['memory list', ['memory', 'list', '--format', 'text']],
      ['work list', ['work', 'list', '--format', 'text']],
      ['config set', ['config', 'set', 'list.limit', '5', '--dry-run', '--format', 'text']],
      ['help task create', ['help', 'task', 'create']],
    ])('%s', async (name, argv) => {
      const shown = screen(columns, ...argv);
      await expect(shown).toMatchFileSnapshot(file(name, columns));
      // Examples are copied, so they are not broken.
      const prose = shown.split('\nExamples\n')[0] ?? '';
      for (const line of prose.split('\n').filter((text) => !text.includes('ct_token')))
        expect(line.length).toBeLessThanOrEqual(columns);
    });
  });

  it('doctor fits the width, and its lines start below each other', () => {
    const lines = screen(60, 'doctor', '--format', 'text').trimEnd().split('\n');
    const checks = lines.slice(0, lines.indexOf(''));
    expect(checks.filter((line) => !/^(?:(?:pass|warn|fail) {2}\w+:(?: |$)| {6}\S)/u.test(line))).toEqual([]);
    // A path has no place to break.
    for (const line of lines.filter((text) => text.trim().split(' ').length > 2))
      expect(line.length).toBeLessThanOrEqual(60);
  });

  it.each([
    ['changelog', '--format', 'text'],
    ['gc', '--dry-run', '--quiet', '--format', 'text'],
  ])('%s fits the width', (...argv) => {
    const lines = screen(60, ...argv).split('\n');
    expect(lines.length).toBeGreaterThan(10);
    const long = lines.filter((line) => line.length > 60 && line.trim().split(' ').length > 3);
    expect(long.filter((line) => !line.includes('ct_token'))).toEqual([]);
  });

  it('a dry run in JSON ends with the command to run next, which works', () => {
    const shown = screen(80, 'config', 'set', 'list.limit', '7', '--dry-run', '--compact');
    expect(shown).toContain('deed: to apply, run: deed config set list.limit 7 --compact --confirm ct_token');
    expect(screen(80, 'config', 'set', 'list.limit', '7', '--dry-run', '--quiet')).not.toContain('to apply');
  });

  it('a job shows a line per item while it runs, and ends with what was applied and what was not', () => {
    const plan = bench.plan([
      item('tea', 'echo more > tea.txt'),
      item('milk', 'echo spilt; exit 3'),
      item('jam', 'echo jam > jam.txt', { test_command: 'seq 1 30; echo too sweet >&2; exit 1' }),
    ]);
    const preview = bench.deed(['work', 'run', plan, '--dry-run']).envelope.data.confirm_token as string;
    const shown = screenOf(['work', 'run', plan, '--confirm', preview, '--format', 'text'], {
      home: bench.home,
      cwd: bench.tree,
      columns: 80,
      isLive: true,
    });
    // eslint-disable-next-line no-control-regex -- colours and movements
    const plain = shown.replaceAll(/\u001B\[[0-9;]*[A-Za-z]/gu, '');
    expect(shown).toContain('\u001B[');
    expect(plain).toMatch(/^· tea +running/mu);
    expect(plain).toMatch(/^✓ tea {2}in the tree {2}\S*N s\n {4}A tea\.txt$/mu);
    expect(plain).toMatch(/^✗ milk {2}failure, not in the tree/mu);
    expect(plain).toMatch(/^✗ jam .*\n {4}Tests failed\n {4}\| 12\n(?: {4}\| \d+\n){18} {4}\| too sweet$/mu);
    expect(plain).toContain('1 of 3 applied, 2 not');
  });

  it('triage explain is a page', async () => {
    const child = spawn('sleep', ['60'], { env: {} });
    try {
      const shown = screen(120, 'triage', 'explain', String(child.pid), '--format', 'text');
      expect(shown.split('\n')[0]).toBe(`${child.pid}  sleep 60`);
      for (const label of ['Advice', 'Assessment', 'Grounds', 'Against', 'Impact', 'Undo', 'Probability'])
        expect(shown).toMatch(new RegExp(`^${label} +\\S`, 'mu'));
      expect(shown).not.toContain('{');
    } finally {
      child.kill();
    }
  });
});
