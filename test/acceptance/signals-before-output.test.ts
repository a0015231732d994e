import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, executable, startDeed, waitFor, type Run } from '../fixtures/run-deed.ts';

/** Short calls, which compute their whole answer without waiting for anything. */
const SHORT_CALLS: readonly (readonly [program: 'deed' | 'vybe' | 'pt', ...argv: string[]])[] = [
  ['deed', 'reference'],
  ['deed', 'changelog'],
  ['deed', '--help'],
  ['deed', '--version'],
  ['deed', 'context', '--format', 'text'],
  ['deed', 'config', 'list'],
  ['deed', 'task', 'list'],
  ['deed', 'triage', 'capabilities'],
  ['deed', 'config', 'set', '--key', 'list.limit', '--value', '5', '--dry-run'],
  ['vybe', 'task', 'list'],
  ['vybe', 'schema'],
  ['pt', 'agent', 'capabilities'],
  ['pt', 'agent', 'sessions'],
];

const EXIT_CODES = { deed: 130, vybe: 1, pt: 6 } as const;

const MAX_WRITES = 5;

let home: ReturnType<typeof createHome>;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.dispose());

describe.concurrent('a signal that is received before any output', () => {
  it.each(SHORT_CALLS.map(([program, ...argv]) => ({ program, argv, line: [program, ...argv].join(' ') })))(
    'is not answered with success ($line)',
    async ({ program, argv }) => {
      const run = await interruptBeforeOutput(program, argv);
      expect([run.code, isSuccess(run)]).toEqual([EXIT_CODES[program], false]);
    },
  );

  it('is not answered with success by a write that has not begun', async () => {
    // A write that begins before it could be stopped is completed, so another one is started, as above.
    for (let attempt = 1; ; attempt += 1) {
      const ids = ['--agent', 'a', '--request-id', `r${attempt}`];
      const run = await interruptBeforeOutput('vybe', ['task', 'create', '--title', 'x', ...ids]);
      if (isSuccess(run) && attempt < MAX_WRITES) continue;
      expect([run.code, isSuccess(run)]).toEqual([EXIT_CODES.vybe, false]);
      return;
    }
  });
});

/**
 * Stops a process as soon as it handles signals, sends one, and lets it continue: the signal is pending from that moment. On a busy
 * machine the process may have answered before it could be stopped; then another one is started.
 */
async function interruptBeforeOutput(program: 'deed' | 'vybe' | 'pt', argv: readonly string[]): Promise<Run> {
  for (;;) {
    const child = startDeed(argv, { executable: executable(program), home: home.path });
    const written = { bytes: 0 };
    child.stdout?.on('data', (text: string) => (written.bytes += text.length));
    const answer = waitFor(child);
    while (child.exitCode === null && !handlesInterrupt(child.pid ?? 0)) await nextTurn();
    child.kill('SIGSTOP');
    while (child.exitCode === null && !isStopped(child.pid ?? 0)) await nextTurn();
    // What was written before is in the pipe by now.
    await delay(20);
    child.kill('SIGINT');
    child.kill('SIGCONT');
    const hadOutput = written.bytes > 0 || child.exitCode !== null;
    const run = await answer;
    if (!hadOutput) return run;
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A line of the status of a process; undefined when it has exited. */
function statusLine(pid: number, name: string): string | undefined {
  try {
    return new RegExp(`^${name}:\\s*(\\S+)`, 'mu').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

const isStopped = (pid: number): boolean => statusLine(pid, 'State') === 'T';

function handlesInterrupt(pid: number): boolean {
  const caught = BigInt(`0x${statusLine(pid, 'SigCgt') ?? '0'}`);
  return ((caught >> BigInt(constants.signals.SIGINT - 1)) & 1n) === 1n;
}

/** Text and help have no answer at all, JSON an error. */
function isSuccess({ stdout }: Run): boolean {
  return stdout !== '' && !/"(ok|success)":\s*false|"error"/u.test(stdout);
}
