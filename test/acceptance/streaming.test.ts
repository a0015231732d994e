import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notesCommands } from '../fixtures/notes-commands.ts';
import { exampleExecutable } from '../fixtures/run-example.ts';
import { createHome, deed, executable, type Run } from '../fixtures/run-deed.ts';
import { createProgram, DEED, runInProcess, SOURCE_LIBRARY } from '../fixtures/run-in-process.ts';

let home: ReturnType<typeof createHome>;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.dispose());

const notes = (...argv: string[]): Run =>
  deed(argv, { env: { NOTES_HOME: home.path }, executable: exampleExecutable('notes') });
const program = createProgram('notes', notesCommands(SOURCE_LIBRARY, { file: '', upstream: '' }));
const inProcess = (...argv: string[]): Promise<Run> => runInProcess(argv, program, { home: home.path });
const linesOf = ({ stdout }: Run): Record<string, unknown>[] => {
  expect(stdout.endsWith('\n')).toBe(true);
  return stdout
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
};
const item = (id: number) => ({
  ok: true,
  schema_version: '1.0',
  type: 'item',
  data: { id: String(id), text: 'x'.repeat(100) },
});
const summary = (count: number, complete: boolean) => ({
  ok: true,
  schema_version: '1.0',
  type: 'summary',
  data: { count, complete },
});

describe('a stream', () => {
  it('is one JSON document per line, with the summary last', () => {
    const run = notes('note', 'stream', '--count', '3');
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(linesOf(run)).toEqual([item(1), item(2), item(3), summary(3, true)]);
  });

  it('without items has a summary', async () => {
    expect(linesOf(await inProcess('note', 'stream', '--count', '0'))).toEqual([summary(0, true)]);
  });

  it('that fails in the middle reports the error as a line, then the summary, and exits with the code of the error', () => {
    const run = notes('note', 'stream', '--count', '5', '--fail-at', '3');
    expect([run.code, run.stderr]).toEqual([7, '']);
    expect(linesOf(run)).toEqual([
      item(1),
      item(2),
      {
        ok: false,
        schema_version: '1.0',
        type: 'error',
        error: {
          code: 'E_NETWORK',
          message: 'The connection to the notes was lost.',
          details: { at: 3 },
          retryable: true,
        },
      },
      summary(2, false),
    ]);
  });

  it('that cannot start is one envelope', async () => {
    const run = await inProcess('note', 'stream', '--count', 'many');
    expect([run.code, run.envelope.ok, Object.keys(run.envelope)]).toEqual([
      2,
      false,
      ['ok', 'schema_version', 'error', 'meta'],
    ]);
  });

  it('has a text format, and no raw one', async () => {
    const text = await inProcess('note', 'stream', '--count', '2', '--fail-at', '2', '--format', 'text');
    expect([text.code, text.stderr]).toEqual([7, 'notes: E_NETWORK The connection to the notes was lost.\n']);
    expect(text.stdout).toMatch(/^id +1\n/u);
    expect((await inProcess('note', 'stream', '--count', '2', '--format', 'raw')).code).toBe(2);
  });

  it('of the audit log lists every earlier call, oldest first', () => {
    deed(['context'], { home: home.path, env: { AI_AGENT: 'line\u2028separator' } });
    const run = deed(['audit', 'export'], { home: home.path });
    const lines = linesOf(run);
    const items = lines.slice(0, -1).map(({ data }) => data as { seq: string; agent: string | null });
    expect(items.map(({ seq }) => seq)).toEqual(items.map((_, index) => String(index + 1)));
    // A separator of lines would forge a second line in a terminal.
    expect(items.at(-1)?.agent).toBe('line\ufffdseparator');
    expect(lines.at(-1)).toEqual(summary(items.length, true));
  });

  it('of the audit log can start at a time', async () => {
    const later = deed(['audit', 'export', '--since', '2999-01-01T00:00:00Z'], { home: home.path });
    expect(linesOf(later)).toEqual([summary(0, true)]);
    for (const time of ['yesterday', 'version 3', '2026-01-01T00:00:00', '1']) {
      const run = await runInProcess(['audit', 'export', '--since', time], DEED, { home: home.path });
      expect([run.code, linesOf(run)[0]]).toMatchObject([2, { error: { code: 'E_VALIDATION' } }]);
    }
  });
});

describe('a stream whose reader closes the pipe', () => {
  /** Runs a shell script in which `deed` is the program under test. */
  function shell(line: string, env: Readonly<Record<string, string>> = {}) {
    const words = (env.NOTES_HOME === undefined ? executable() : exampleExecutable('notes'))
      .map((word) => `'${word}'`)
      .join(' ');
    return spawnSync('bash', ['-c', `deed() { ${words} "$@"; }; set -o pipefail; ${line}`], {
      env: { PATH: process.env.PATH, HOME: home.path, DEED_HOME: home.path, ...env },
      encoding: 'utf8',
      timeout: 30_000,
    });
  }

  it('fails with a code and without a stack trace', () => {
    const { status, stdout, stderr } = shell(
      'deed note stream --count 1000000 | head -1; echo ${PIPESTATUS[0]}',
      {
        NOTES_HOME: home.path,
      },
    );
    const [first, code] = stdout.trimEnd().split('\n');
    expect([JSON.parse(first ?? ''), code, status]).toEqual([item(1), '1', 0]);
    expect(JSON.parse(stderr)).toEqual({
      code: 'E_IO',
      message: 'Standard output cannot be written (EPIPE).',
    });
  });

  it('is recorded in the audit log', () => {
    const { data } = notes('audit', 'list', '--command', 'note stream', '--limit', '1').envelope;
    expect(data.items[0]).toMatchObject({ command: 'note stream', code: 'E_IO', exit_code: 1 });
  });

  it('is complete for a slow reader', () => {
    const { stdout } = shell('deed note stream --count 20000 | (sleep 0.3; tail -1)', {
      NOTES_HOME: home.path,
    });
    expect(JSON.parse(stdout)).toEqual(summary(20_000, true));
  });
});
