import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envelopeProblems } from '../fixtures/check-envelope.ts';
import { exampleExecutable } from '../fixtures/run-example.ts';
import {
  createHome,
  deed,
  deedAsync,
  startDeed,
  waitFor,
  type Run,
  type RunOptions,
} from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

/** How long a command may take to stop after a signal; see `LIMITS.interruptGraceMs`. */
const GRACE_MS = 3000;

let home: ReturnType<typeof createHome>;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.dispose());

const options = (): RunOptions => ({
  env: { FAULTY_HOME: home.path },
  executable: exampleExecutable('faulty'),
});
const run = (...argv: string[]): Promise<Run> => deedAsync(['run', ...argv], options());

/** Starts a command, waits until it is ready, and sends signals to it. */
async function interrupted(argv: readonly string[], ...signals: NodeJS.Signals[]): Promise<Run> {
  const child = startDeed(['run', ...argv], options());
  const answer = waitFor(child);
  await isReady(child);
  for (const [index, signal] of signals.entries()) {
    // Two signals of one kind that are pending at the same time are one signal.
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    child.kill(signal);
  }
  // A process that is paused for that long sees one signal, so it is repeated.
  const repeated = setInterval(() => signals.length > 1 && child.kill(signals.at(-1)), 500);
  return answer.finally(() => clearInterval(repeated));
}

function isReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let stderr = '';
    child.stderr?.on('data', (text: string) => {
      stderr += text;
      if (stderr.includes('ready')) resolve();
    });
    child.once('exit', () => reject(new Error(`exited before it was ready: ${stderr}`)));
  });
}

const INTERRUPTED = { code: 'E_INTERRUPTED', retryable: true };

describe.concurrent('a signal', () => {
  // The tests below send the other two.
  it.each(LONG ? (['SIGINT', 'SIGTERM', 'SIGHUP'] as const) : (['SIGHUP'] as const))(
    '%s stops a command that handles it, with its envelope',
    async (signal) => {
      const answer = await interrupted(['cancellable'], signal);
      expect(envelopeProblems(answer)).toEqual([]);
      expect([answer.code, answer.envelope.error]).toEqual([
        130,
        {
          ...INTERRUPTED,
          message: 'The command was interrupted.',
          details: { hint: 'It is safe to run it again.' },
        },
      ]);
      expect(answer.stderr).toBe('ready\n');
    },
  );

  it.each(['timer', 'fetch'])('aborts a built-in function of the runtime (%s)', async (name) => {
    const answer = await interrupted([name], 'SIGINT');
    expect([answer.code, answer.envelope.error]).toMatchObject([130, INTERRUPTED]);
  });

  it('to a read is not answered with success, even if the read returns a result', async () => {
    const answer = await interrupted(['slow-to-stop'], 'SIGTERM');
    expect([answer.code, answer.envelope.error]).toMatchObject([130, INTERRUPTED]);
  });

  it('lets a write that completes return its result', async () => {
    const { confirm_token } = (await run('slow-write', '--dry-run')).envelope.data as {
      confirm_token: string;
    };
    const answer = await interrupted(['slow-write', '--confirm', confirm_token], 'SIGTERM');
    expect([answer.code, answer.envelope.data]).toEqual([0, { done: true }]);
  });

  it('stops a command that ignores it, after the grace period', async () => {
    const started = performance.now();
    const answer = await interrupted(['uncancellable'], 'SIGTERM');
    expect([answer.code, answer.envelope.error]).toMatchObject([130, INTERRUPTED]);
    expect(answer.envelope.error?.message).toContain('did not stop in time');
    expect(performance.now() - started).toBeGreaterThan(GRACE_MS - 100);
  });

  it('that is repeated stops the command immediately', async () => {
    const answer = await interrupted(['uncancellable'], 'SIGINT', 'SIGINT');
    expect(envelopeProblems(answer)).toEqual([]);
    expect([answer.code, answer.envelope.error]).toMatchObject([130, INTERRUPTED]);
    // The time of the command itself, which includes the whole grace period unless the second signal ends it.
    expect(answer.envelope.meta.duration_ms).toBeLessThan(GRACE_MS);
  });

  it('before a write starts changes nothing, and the token stays valid', async () => {
    const { confirm_token } = (await run('write', '--dry-run')).envelope.data as { confirm_token: string };
    const answer = await interrupted(['write', '--confirm', confirm_token], 'SIGINT');
    expect([answer.code, answer.envelope.error, answer.stderr]).toMatchObject([130, INTERRUPTED, 'ready\n']);
    expect((await run('write', '--confirm', confirm_token)).envelope.data).toEqual({ done: true });
  });
});

describe.concurrent('a signal to a stream', () => {
  it.each([
    ['flow', ['SIGINT']],
    ['stop', ['SIGTERM']],
    ['hang', ['SIGTERM', 'SIGTERM']],
  ] as const)('(%s) ends it with an error line and a summary', async (mode, signals) => {
    const answer = await interrupted(['endless', '--mode', mode], ...signals);
    const lines = linesOf(answer);
    expect(answer.code).toBe(130);
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

describe.concurrent('a command', () => {
  it('that stops without an answer gets one', async () => {
    const answer = await run('unsettled');
    expect(envelopeProblems(answer)).toEqual([]);
    expect([answer.code, answer.envelope.error, answer.stderr]).toMatchObject([
      1,
      { code: 'E_UNKNOWN', message: 'Unexpected failure: the command stopped without an answer' },
      '',
    ]);
  });

  it('that crashes outside its promise gets a masked answer and no stack trace', async () => {
    const answer = await run('crash');
    expect([answer.code, answer.envelope.error, answer.stderr]).toMatchObject([
      1,
      { code: 'E_UNKNOWN', message: 'Unexpected failure: the key is [REDACTED]' },
      '',
    ]);
  });

  it('with an unhandled rejection is answered with that failure', async () => {
    const answer = await run('unhandled-rejection');
    expect([answer.code, answer.envelope.error, answer.stderr]).toMatchObject([7, { code: 'E_NETWORK' }, '']);
  });

  it('whose library prints to the console has only the answer on standard output', async () => {
    const answer = await run('console-output');
    expect([answer.code, answer.envelope.data]).toEqual([0, { done: true }]);
    expect(answer.stderr).toBe(
      ['log', 'info', 'debug', 'warn'].map((level) => `a ${level} of a library\n`).join(''),
    );
  });

  it('that throws a string is answered with an envelope', async () => {
    const answer = await run('throw-string');
    expect([answer.code, answer.envelope.error]).toMatchObject([
      1,
      { code: 'E_UNKNOWN', message: 'Unexpected failure: just a string' },
    ]);
  });

  it('that leaves a timer running does not delay its caller indefinitely', async () => {
    expect((await run('open-timer')).code).toBe(0);
  });

  it('that gets a signal after its answer keeps its exit code', async () => {
    const child = startDeed(['run', 'open-timer'], options());
    child.stdout?.once('data', () => child.kill('SIGINT'));
    const answer = await waitFor(child);
    expect([answer.code, answer.envelope.data]).toEqual([0, { done: true }]);
  });

  it('that crashes after its answer keeps the answer and exit code', async () => {
    const answer = await run('late-crash');
    expect([answer.code, answer.envelope.data, answer.stderr]).toEqual([0, { done: true }, '']);
  });

  it.each(['idle', 'crash'])(
    'that streams and then fails outside its promise (%s) still ends with a summary',
    async (mode) => {
      const answer = await run('endless', '--mode', mode);
      const lines = linesOf(answer);
      expect(answer.code).toBe(1);
      expect(lines.map(({ type }) => type)).toEqual(['item', 'error', 'summary']);
      expect(lines[1]).toMatchObject({ ok: false, error: { code: 'E_UNKNOWN' } });
      expect(lines[2]).toMatchObject({ data: { count: 1, complete: false } });
    },
  );
});

it('every call is in the audit log with its outcome', () => {
  const { items } = deed(['audit', 'list', '--limit', '100', '--fields', 'command,code'], options()).envelope
    .data as { items: { command: string; code: string | null }[] };
  expect(items.map(({ command, code }) => `${command} ${code}`)).toEqual(
    expect.arrayContaining([
      'run cancellable E_INTERRUPTED',
      'run uncancellable E_INTERRUPTED',
      'run unsettled E_UNKNOWN',
      'run crash E_UNKNOWN',
      'run unhandled-rejection E_NETWORK',
      'run open-timer null',
      'run endless E_INTERRUPTED',
      'run endless E_UNKNOWN',
    ]),
  );
});

function linesOf({ stdout }: Run): Record<string, unknown>[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
