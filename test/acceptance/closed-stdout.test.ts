import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, deed, executable } from '../fixtures/run-deed.ts';

let home: ReturnType<typeof createHome>;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.dispose());

/** Runs a program in a shell that redirects its output; returns its exit code and standard error. */
function shell(
  argv: string,
  redirection: string,
  program: Parameters<typeof executable>[0] = 'deed',
): { code: number | null; stderr: string } {
  const words = executable(program).map((word) => `'${word}'`);
  const line = `${NO_READER} ${words.join(' ')} ${argv} ${redirection}`;
  const { status, stderr } = spawnSync('bash', ['-c', line], {
    env: { PATH: process.env.PATH, HOME: home.path, DEED_HOME: home.path },
    encoding: 'utf8',
    timeout: 30_000,
  });
  return { code: status, stderr };
}

/** Makes descriptor 3 a pipe whose reader has exited. */
const NO_READER = 'exec 3> >(:); wait $!;';
const UNREAD = '>&3 3>&-';

const token = (value: string): string =>
  deed(['config', 'set', 'list.limit', value, '--dry-run'], { home: home.path }).envelope.data
    .confirm_token as string;
const limit = (): unknown => deed(['config', 'get', 'list.limit'], { home: home.path }).envelope.data.value;

const FULL = { code: 'E_IO', message: 'Standard output cannot be written (ENOSPC).' };
const GONE = { code: 'E_IO', message: 'Standard output cannot be written (EPIPE).' };
const hasFull = existsSync('/dev/full');

/** Makes the shared pipe non-blocking, as every Node program does that writes to a pipe. */
const UNBLOCK = `process.stdout.write(''); fs.writeFileSync(process.argv[1], ''); setTimeout(() => undefined, 60_000)`;

it('an answer is complete through a full non-blocking pipe', async () => {
  const words = executable().map((word) => `'${word}'`);
  const ready = `'${home.path}/unblocked'`;
  const line = `'${process.execPath}' -e "${UNBLOCK}" ${ready} & until [ -e ${ready} ]; do sleep 0.02; done
    ${words.join(' ')} reference --schema; kill $!`;
  const child = spawn('bash', ['-c', line], {
    env: { PATH: process.env.PATH, HOME: home.path, DEED_HOME: home.path },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const pieces: Buffer[] = [];
  for await (const piece of child.stdout) {
    pieces.push(piece as Buffer);
    await sleep(10);
  }
  const text = Buffer.concat(pieces).toString('utf8');
  expect(text.length).toBeGreaterThan(500_000);
  expect(withoutMeta(text)).toEqual(withoutMeta(deed(['reference', '--schema'], { home: home.path }).stdout));
});

function withoutMeta(text: string): unknown {
  return { ...(JSON.parse(text) as Record<string, unknown>), meta: null };
}

describe('an answer that cannot be written', () => {
  it.runIf(hasFull)('is an error with a code on standard error when the disk is full', () => {
    const { code, stderr } = shell('context', '> /dev/full');
    expect([code, JSON.parse(stderr)]).toEqual([1, FULL]);
  });

  it('is an error with a code on standard error when the reader has closed the pipe', () => {
    const { code, stderr } = shell('context', UNREAD);
    expect([code, JSON.parse(stderr)]).toEqual([1, GONE]);
  });

  it.each(['deed', 'vybe', 'pt', 'ai-agent'] as const)(
    'prints no error when it is the help text of %s',
    (program) => {
      expect(shell('--help', UNREAD, program)).toEqual({ code: 1, stderr: '' });
    },
  );

  it('is still an error with a code when it is help as JSON', () => {
    const { code, stderr } = shell('--help --json', UNREAD);
    expect([code, JSON.parse(stderr)]).toEqual([1, GONE]);
  });

  it('does not undo a confirmed write whose reader has closed the pipe', () => {
    const { code } = shell(`config set list.limit 6 --confirm ${token('6')}`, UNREAD);
    expect([code, limit()]).toEqual([1, 6]);
  });

  it.runIf(hasFull)('does not undo a confirmed write on a full disk', () => {
    const { code } = shell(`config set list.limit 7 --confirm ${token('7')}`, '> /dev/full');
    expect([code, limit()]).toEqual([1, 7]);
    expect(deed(['audit', 'verify'], { home: home.path }).envelope.data.valid).toBe(true);
  });

  it.runIf(hasFull)('on both outputs still has an exit code', () => {
    expect(shell('context', '> /dev/full 2> /dev/full').code).toBe(1);
    expect(shell('nope', '> /dev/full 2>&-').code).toBe(1);
  });

  it('because standard output is closed is never written to another file', () => {
    shell('context', '>&-');
    shell(`config set list.limit 9 --confirm ${token('9')}`, '>&-');
    shell('context', '>&- 2>&-');
    shell('context', '<&- >&- 2>&-');
    expect(limit()).toBe(9);
    expect(deed(['audit', 'verify'], { home: home.path }).envelope.data.valid).toBe(true);
  });

  it('on standard error does not change the exit code', () => {
    expect(shell('nope', '2>&-').code).toBe(2);
    expect(shell('nope --format text', '2>&-').code).toBe(2);
  });
});
