import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envelopeProblems } from '../fixtures/check-envelope.ts';
import { exampleExecutable } from '../fixtures/run-example.ts';
import { createHome, deed, startDeed, waitFor, type Run, type RunOptions } from '../fixtures/run-deed.ts';

let home: ReturnType<typeof createHome>;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.dispose());

const options = (): RunOptions => ({
  env: { TROUBLE_HOME: home.path },
  executable: exampleExecutable('trouble'),
});
const trouble = (...argv: string[]): Run => deed(['trouble', ...argv], options());

/** Starts a command, waits until it says that it is ready, and sends signals to it. */
async function interrupted(argv: readonly string[], ...signals: NodeJS.Signals[]): Promise<Run> {
  const child = startDeed(['trouble', ...argv], options());
  const run = waitFor(child);
  await isReady(child);
  for (const signal of signals) {
    child.kill(signal);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return run;
}

function isReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.on('data', (text: string) => {
      said += text;
      if (said.includes('ready')) resolve();
    });
    child.once('exit', () => reject(new Error(`ended before it was ready: ${said}`)));
  });
}

const INTERRUPTED = { code: 'E_INTERRUPTED', retryable: true };

describe('a signal', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s ends a command that listens, with its envelope',
    async (signal) => {
      const run = await interrupted(['polite'], signal);
      expect(envelopeProblems(run)).toEqual([]);
      expect([run.code, run.envelope.error]).toEqual([
        130,
        {
          ...INTERRUPTED,
          message: 'The command was interrupted.',
          details: { hint: 'It is safe to run it again.' },
        },
      ]);
      expect(run.stderr).toBe('ready\n');
    },
  );

  it.each(['built-in', 'fetching'])(
    'passed on to what the runtime offers (%s) is an interruption too',
    async (name) => {
      const run = await interrupted([name], 'SIGINT');
      expect([run.code, run.envelope.error]).toMatchObject([130, INTERRUPTED]);
    },
  );

  it('lets a command that unwinds to a result give it', async () => {
    const run = await interrupted(['unhurried'], 'SIGTERM');
    expect([run.code, run.envelope.data]).toEqual([0, { done: true }]);
  });

  it('ends a command that ignores it, after the grace', async () => {
    const started = performance.now();
    const run = await interrupted(['stubborn'], 'SIGTERM');
    expect([run.code, run.envelope.error]).toMatchObject([130, INTERRUPTED]);
    expect(run.envelope.error?.message).toContain('did not come to rest');
    expect(performance.now() - started).toBeGreaterThan(2900);
  });

  it('that comes a second time ends it at once', async () => {
    const started = performance.now();
    const run = await interrupted(['stubborn'], 'SIGINT', 'SIGINT');
    expect(envelopeProblems(run)).toEqual([]);
    expect([run.code, run.envelope.error]).toMatchObject([130, INTERRUPTED]);
    expect(performance.now() - started).toBeLessThan(2500);
  });

  it('before a write begins leaves everything as it was, the token included', async () => {
    const { confirm_token } = trouble('write', '--dry-run').envelope.data as { confirm_token: string };
    const run = await interrupted(['write', '--confirm', confirm_token], 'SIGINT');
    expect([run.code, run.envelope.error, run.stderr]).toMatchObject([130, INTERRUPTED, 'ready\n']);
    expect(trouble('write', '--confirm', confirm_token).envelope.data).toEqual({ done: true });
  });
});

describe('a signal to a stream', () => {
  it.each([
    ['flow', ['SIGINT']],
    ['hang', ['SIGTERM', 'SIGTERM']],
  ] as const)('that would %s ends it with an error line and a summary', async (mode, signals) => {
    const run = await interrupted(['endless', '--mode', mode], ...signals);
    const lines = linesOf(run);
    expect(run.code).toBe(130);
    expect(lines[0]).toEqual({ ok: true, schema_version: '1.0', type: 'item', data: { n: 1 } });
    expect(lines.at(-2)).toMatchObject({
      ok: false,
      schema_version: '1.0',
      type: 'error',
      error: INTERRUPTED,
    });
    expect(lines.at(-1)).toEqual({
      ok: true,
      schema_version: '1.0',
      type: 'summary',
      data: { count: lines.length - 2, complete: false },
    });
  });
});

describe('a command', () => {
  it('that stops without an answer gets one', () => {
    const run = trouble('idle');
    expect(envelopeProblems(run)).toEqual([]);
    expect([run.code, run.envelope.error, run.stderr]).toMatchObject([
      1,
      { code: 'E_UNKNOWN', message: 'Unexpected failure: the command stopped without an answer' },
      '',
    ]);
  });

  it('of the built program that stops without an answer gets one too', () => {
    const folder = mkdtempSync(join(tmpdir(), 'deed-idle-'));
    const preload = join(folder, 'silent-input.cjs');
    writeFileSync(
      preload,
      `Object.defineProperty(process, 'stdin', {
        value: { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) },
      });`,
    );
    const env = { NODE_OPTIONS: `--require=${preload}`, BUN_OPTIONS: `--preload=${preload}` };
    const run = deed(['config', 'list', '--input', '-'], { env });
    rmSync(folder, { recursive: true });
    expect(envelopeProblems(run)).toEqual([]);
    expect([run.code, run.envelope.error, run.stderr]).toMatchObject([
      1,
      { code: 'E_UNKNOWN', message: 'Unexpected failure: the command stopped without an answer' },
      '',
    ]);
  });

  it('that crashes outside its promise gets a masked answer and no stack trace', () => {
    const run = trouble('crashing');
    expect([run.code, run.envelope.error, run.stderr]).toMatchObject([
      1,
      { code: 'E_UNKNOWN', message: 'Unexpected failure: the key is [REDACTED]' },
      '',
    ]);
  });

  it('whose forgotten promise fails is answered with that failure', () => {
    const run = trouble('rejecting');
    expect([run.code, run.envelope.error, run.stderr]).toMatchObject([7, { code: 'E_NETWORK' }, '']);
  });

  it('whose library prints remarks has the answer alone on standard output', () => {
    const run = trouble('talkative');
    expect([run.code, run.envelope.data]).toEqual([0, { done: true }]);
    expect(run.stderr).toBe(
      ['log', 'info', 'debug', 'warn'].map((level) => `a ${level} of a library\n`).join(''),
    );
  });

  it('that throws what is no error is answered in form', () => {
    const run = trouble('throwing');
    expect([run.code, run.envelope.error]).toMatchObject([
      1,
      { code: 'E_UNKNOWN', message: 'Unexpected failure: just a text' },
    ]);
  });

  it('that leaves a timer running does not hold up its caller', () => {
    const started = performance.now();
    expect([trouble('untidy').code, performance.now() - started < 5000]).toEqual([0, true]);
  });

  it('that gets a signal after its answer keeps its exit code', async () => {
    const child = startDeed(['trouble', 'untidy'], options());
    child.stdout?.once('data', () => child.kill('SIGINT'));
    const run = await waitFor(child);
    expect([run.code, run.envelope.data]).toEqual([0, { done: true }]);
  });

  it('that crashes after its answer does not spoil it', () => {
    const run = trouble('late');
    expect([run.code, run.envelope.data, run.stderr]).toEqual([0, { done: true }, '']);
  });

  it.each(['idle', 'crash'])(
    'that streams and then fails silently (%s) still ends with a summary',
    (mode) => {
      const run = trouble('endless', '--mode', mode);
      const lines = linesOf(run);
      expect(run.code).toBe(1);
      expect(lines.map(({ type }) => type)).toEqual(['item', 'error', 'summary']);
      expect(lines[1]).toMatchObject({ ok: false, error: { code: 'E_UNKNOWN' } });
      expect(lines[2]).toMatchObject({ data: { count: 1, complete: false } });
    },
  );

  it('leaves its mark in the audit log however it ended', () => {
    const { items } = deed(['audit', 'list', '--limit', '100', '--fields', 'command,code'], options())
      .envelope.data as {
      items: { command: string; code: string | null }[];
    };
    const marks = items.map(({ command, code }) => `${command} ${code}`);
    expect(marks).toEqual(
      expect.arrayContaining([
        'trouble polite E_INTERRUPTED',
        'trouble stubborn E_INTERRUPTED',
        'trouble idle E_UNKNOWN',
        'trouble crashing E_UNKNOWN',
        'trouble rejecting E_NETWORK',
        'trouble untidy null',
        'trouble endless E_INTERRUPTED',
        'trouble endless E_UNKNOWN',
      ]),
    );
  });
});

function linesOf(run: Run): Record<string, unknown>[] {
  return run.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
