import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, deed, executable, startDeed, waitFor } from '../fixtures/run-deed.ts';

let home: ReturnType<typeof createHome>;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.dispose());

/** Runs deed in a shell that redirects its output; returns its exit code and standard error. */
function shell(argv: string, redirection: string): { code: number | null; stderr: string } {
  const words = executable().map((word) => `'${word}'`);
  const line = `${words.join(' ')} ${argv} ${redirection}`;
  const { status, stderr } = spawnSync('bash', ['-c', line], {
    env: { PATH: process.env.PATH, HOME: home.path, DEED_HOME: home.path },
    encoding: 'utf8',
    timeout: 30_000,
  });
  return { code: status, stderr };
}

const token = (value: string): string =>
  deed(['config', 'set', 'list.limit', value, '--dry-run'], { home: home.path }).envelope.data
    .confirm_token as string;
const limit = (): unknown => deed(['config', 'get', 'list.limit'], { home: home.path }).envelope.data.value;

/** Runs deed with a standard output whose reader closes the pipe before anything is written. */
async function unread(argv: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const child = startDeed(argv, { home: home.path });
  child.stdout?.destroy();
  const { code, stderr } = await waitFor(child);
  return { code, stderr };
}

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

  it('is an error with a code on standard error when the reader has closed the pipe', async () => {
    const { code, stderr } = await unread(['context']);
    expect([code, JSON.parse(stderr)]).toEqual([1, GONE]);
  });

  it.each(['deed', 'vybe', 'pt', 'ai-agent'] as const)(
    'prints no error when it is the help text of %s',
    async (program) => {
      const [command, ...first] = executable(program);
      const child = spawn(command, [...first, '--help'], {
        env: { PATH: process.env.PATH, HOME: home.path },
      });
      child.stdout.destroy();
      const { code, stderr } = await waitFor(child);
      expect([code, stderr]).toEqual([1, '']);
    },
  );

  it('is still an error with a code when it is help as JSON', async () => {
    const { code, stderr } = await unread(['--help', '--json']);
    expect([code, JSON.parse(stderr)]).toEqual([1, GONE]);
  });

  it('does not undo a confirmed write whose reader has closed the pipe', async () => {
    const { code } = await unread(['config', 'set', 'list.limit', '6', '--confirm', token('6')]);
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
