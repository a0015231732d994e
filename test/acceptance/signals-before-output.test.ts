import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
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
  // A write that has not begun changes nothing either.
  ['vybe', 'task', 'create', '--title', 'x', '--agent', 'a', '--request-id', 'r'],
  ['pt', 'agent', 'capabilities'],
  ['pt', 'agent', 'sessions'],
];

const EXIT_CODES = { deed: 130, vybe: 1, pt: 6 } as const;

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
});

/**
 * Stops a process as soon as it handles signals, sends one, and lets it continue: the signal is pending from that moment, and the
 * answer, if there was one already, would be in the pipe.
 */
async function interruptBeforeOutput(program: 'deed' | 'vybe' | 'pt', argv: readonly string[]): Promise<Run> {
  const child = startDeed(argv, { executable: executable(program), home: home.path });
  const answer = waitFor(child);
  const pid = child.pid ?? 0;
  while (!handlesInterrupt(pid)) await new Promise((resolve) => setImmediate(resolve));
  child.kill('SIGSTOP');
  child.kill('SIGINT');
  child.kill('SIGCONT');
  return answer;
}

function handlesInterrupt(pid: number): boolean {
  const caught = /^SigCgt:\s*([0-9a-f]+)/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return ((BigInt(`0x${caught}`) >> BigInt(constants.signals.SIGINT - 1)) & 1n) === 1n;
}

/** Text and help have no answer at all, JSON an error. */
function isSuccess({ stdout }: Run): boolean {
  return stdout !== '' && !/"(ok|success)":\s*false|"error"/u.test(stdout);
}
