import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleExecutable } from '../fixtures/run-example.ts';
import { createHome, deed, executable, type Run } from '../fixtures/run-deed.ts';

let home: ReturnType<typeof createHome>;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.dispose());

const notes = (...argv: string[]): Run =>
  deed(argv, { env: { NOTES_HOME: home.path }, executable: exampleExecutable('notes') });
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
  it('is one JSON document a line, the summary last', () => {
    const run = notes('note', 'stream', '--count', '3');
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(linesOf(run)).toEqual([item(1), item(2), item(3), summary(3, true)]);
  });

  it('without items has its summary', () => {
    expect(linesOf(notes('note', 'stream', '--count', '0'))).toEqual([summary(0, true)]);
  });

  it('that fails in the middle tells the error as a line, then the summary, and the code of the error', () => {
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
          message: 'The notes ended in the middle.',
          details: { at: 3 },
          retryable: true,
        },
      },
      summary(2, false),
    ]);
  });

  it('that cannot begin is one envelope', () => {
    const run = notes('note', 'stream', '--count', 'many');
    expect([run.code, run.envelope.ok, Object.keys(run.envelope)]).toEqual([
      2,
      false,
      ['ok', 'schema_version', 'error', 'meta'],
    ]);
  });

  it('has a text form, and no raw one', () => {
    const text = notes('note', 'stream', '--count', '2', '--fail-at', '2', '--format', 'text');
    expect([text.code, text.stderr]).toEqual([7, 'notes: E_NETWORK The notes ended in the middle.\n']);
    expect(text.stdout).toMatch(/^id +1\n/u);
    expect(notes('note', 'stream', '--count', '2', '--format', 'raw').code).toBe(2);
  });

  it('of the audit log tells every call before it, oldest first', () => {
    deed(['context'], { home: home.path, env: { AI_AGENT: 'line\u2028separator' } });
    const run = deed(['audit', 'export'], { home: home.path });
    const lines = linesOf(run);
    const items = lines.slice(0, -1).map(({ data }) => data as { seq: string; agent: string | null });
    expect(items.map(({ seq }) => seq)).toEqual(items.map((_, index) => String(index + 1)));
    expect(items.at(-1)?.agent).toBe('line\u2028separator');
    expect(lines.at(-1)).toEqual(summary(items.length, true));
  });

  it('begins at a time when it is asked to', () => {
    const later = deed(['audit', 'export', '--since', '2999-01-01T00:00:00Z'], { home: home.path });
    expect(linesOf(later)).toEqual([summary(0, true)]);
    for (const time of ['yesterday', 'version 3', '2026-01-01T00:00:00', '1']) {
      expect(deed(['audit', 'export', '--since', time], { home: home.path }).code).toBe(2);
    }
  });
});

describe('a reader that goes away', () => {
  /** Runs a shell line in which `deed` is the build under test. */
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

  it('ends the stream with a coded failure and without a stack trace', () => {
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

  it('does not keep the call out of the audit log', () => {
    const { data } = notes('audit', 'list', '--command', 'note stream', '--limit', '1').envelope;
    expect(data.items[0]).toMatchObject({ command: 'note stream', code: 'E_IO', exit_code: 1 });
  });

  it('may read slowly and still gets everything', () => {
    const { stdout } = shell('deed note stream --count 20000 | (sleep 0.3; tail -1)', {
      NOTES_HOME: home.path,
    });
    expect(JSON.parse(stdout)).toEqual(summary(20_000, true));
  });
});
