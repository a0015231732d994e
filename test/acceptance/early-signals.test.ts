import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, executable } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

/** Each delay hits the start of the runtime, of our code, or the work of the command, depending on the load of the machine. */
const DELAYS_MS = LONG ? [0, 5, 10, 20, 50, 100, 150, 200] : [0, 10, 30, 80, 200];
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const ROUNDS = LONG ? 10 : 1;

let home: ReturnType<typeof createHome>;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.dispose());

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a program with open input and sends a signal after a delay. */
async function signalled(
  name: Parameters<typeof executable>[0],
  argv: readonly string[],
  signal: NodeJS.Signals,
  delayMs: number,
): Promise<Ending> {
  const [program, ...first] = executable(name);
  const child = spawn(program, [...first, ...argv], {
    cwd: home.path,
    env: { PATH: process.env.PATH, HOME: home.path, DEED_HOME: home.path },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined);
  const closed = once(child, 'close');
  await once(child, 'spawn');
  await wait(delayMs);
  child.kill(signal);
  const [code, terminatedBy] = (await closed) as [number | null, NodeJS.Signals | null];
  return { code, signal: terminatedBy, stdout, stderr };
}

/** The ending of a process that got its signal before any of our code ran. */
const KILLED = 'killed before it started';

/** Runs a program with signals at every delay (with every signal in the long version, otherwise they take turns), and returns each kind of ending once, except for being killed early. */
async function endings(
  name: Parameters<typeof executable>[0],
  argv: readonly string[],
  describeOutcome: (ending: Ending) => string,
): Promise<readonly string[]> {
  const seen = new Set<string>();
  const calls = SIGNALS.flatMap((signal, index) =>
    DELAYS_MS.filter((_, at) => LONG || at % SIGNALS.length === index).map((delayMs) => ({
      signal,
      delayMs,
    })),
  );
  const queue = Array.from({ length: ROUNDS }, () => calls).flat();
  // They mostly wait, so a few run at the same time.
  const worker = async (): Promise<void> => {
    for (let call = queue.pop(); call !== undefined; call = queue.pop()) {
      const ending = await signalled(name, argv, call.signal, call.delayMs);
      const silent = ending.stdout === '' && ending.stderr === '' && ending.signal === call.signal;
      seen.add(silent ? KILLED : describeOutcome(ending));
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  // Long after its start, so that our code handles at least one signal.
  seen.add(describeOutcome(await signalled(name, argv, 'SIGTERM', 1000)));
  seen.delete(KILLED);
  return [...seen].toSorted();
}

/** The code of the only JSON document on standard output, with the exit code. */
function codeOf({ code, stdout }: Ending): string {
  const answer = JSON.parse(stdout) as { error?: { code?: string }; error_code?: string };
  return `${answer.error?.code ?? answer.error_code ?? 'answered'} ${code}`;
}

describe('a signal in the first 200 ms', () => {
  it('never causes an incomplete answer of deed', async () => {
    const seen = await endings('deed', ['context'], codeOf);
    expect(seen.filter((ending) => ending !== 'answered 0' && ending !== 'E_INTERRUPTED 130')).toEqual([]);
  });

  it.runIf(LONG)('interrupts a command that is waiting for input', async () => {
    const seen = await endings('deed', ['config', 'list', '--input', '-'], codeOf);
    expect(seen).toEqual(['E_INTERRUPTED 130']);
  });

  it.runIf(LONG)('interrupts vybe by its own contract', async () => {
    const seen = await endings('vybe', ['push', '--agent', 'a', '--request-id', 'r'], codeOf);
    expect(seen).toEqual(['E_INTERRUPTED 1']);
  });

  it('interrupts pt, which never answers with an incomplete sample', async () => {
    const seen = await endings('pt', ['agent', 'snapshot', '--window', '5s'], codeOf);
    expect(seen).toEqual(['INTERRUPTED 6']);
  });

  it.runIf(LONG)('interrupts ai-agent, with nothing on standard output', async () => {
    const seen = await endings('ai-agent', ['Be terse.', '-'], ({ code, stdout, stderr }) =>
      JSON.stringify([code, stdout, stderr.split('\n')[0]]),
    );
    expect(seen).toEqual(['[1,"","ai-agent: The command was interrupted."]']);
  });
});
