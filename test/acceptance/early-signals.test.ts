import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, executable } from '../fixtures/run-deed.ts';

/** A moment lies in the start of the runtime, in ours, or in the work of the command, depending on how busy the machine is. */
const MOMENTS_MS = [0, 5, 10, 20, 50, 100, 150, 200];
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const ROUNDS = process.env.DEED_TEST_LONG ? 10 : 1;

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

/** Starts a program with its input open and sends a signal some time after its process was made. */
async function signalled(
  name: Parameters<typeof executable>[0],
  argv: readonly string[],
  signal: NodeJS.Signals,
  afterMs: number,
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
  await wait(afterMs);
  child.kill(signal);
  const [code, endedBy] = (await closed) as [number | null, NodeJS.Signals | null];
  return { code, signal: endedBy, stdout, stderr };
}

/** What a process does that got its signal before any code of ours ran. */
const KILLED = 'killed before it began';

/** Runs a program under every signal at every moment, and gives each kind of ending once, except for being killed early. */
async function endings(
  name: Parameters<typeof executable>[0],
  argv: readonly string[],
  describeOutcome: (ending: Ending) => string,
): Promise<readonly string[]> {
  const seen = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const signal of SIGNALS) {
      for (const afterMs of MOMENTS_MS) {
        const ending = await signalled(name, argv, signal, afterMs);
        const silent = ending.stdout === '' && ending.stderr === '' && ending.signal === signal;
        seen.add(silent ? KILLED : describeOutcome(ending));
      }
    }
  }
  seen.delete(KILLED);
  return [...seen].toSorted();
}

/** The code of the only JSON document on standard output, with the exit code. */
function codeOf({ code, stdout }: Ending): string {
  const answer = JSON.parse(stdout) as { error?: { code?: string }; error_code?: string };
  return `${answer.error?.code ?? answer.error_code ?? 'answered'} ${code}`;
}

describe('a signal in the first 200 ms', () => {
  it('never leaves half an answer of deed', async () => {
    const seen = await endings('deed', ['context'], codeOf);
    expect(seen.filter((ending) => ending !== 'answered 0' && ending !== 'E_INTERRUPTED 130')).toEqual([]);
  });

  it('is an interruption of a command that is waiting for its input', async () => {
    const seen = await endings('deed', ['config', 'list', '--input', '-'], codeOf);
    expect(seen).toEqual(['E_INTERRUPTED 130']);
  });

  it('is an interruption of vybe by its own contract', async () => {
    const seen = await endings('vybe', ['push', '--agent', 'a', '--request-id', 'r'], codeOf);
    expect(seen).toEqual(['E_INTERRUPTED 1']);
  });

  it('is an interruption of pt, which never answers with a sample that was cut short', async () => {
    const seen = await endings('pt', ['agent', 'snapshot', '--window', '5s'], codeOf);
    expect(seen).toEqual(['INTERRUPTED 6']);
  });

  it('is an interruption of ai-agent, with nothing on standard output', async () => {
    const seen = await endings('ai-agent', ['Be terse.', '-'], ({ code, stdout, stderr }) =>
      JSON.stringify([code, stdout, stderr.split('\n')[0]]),
    );
    expect(seen).toEqual(['[1,"","ai-agent: The command was interrupted."]']);
  });

  it('is answered without waiting for the input', async () => {
    const started = performance.now();
    const { code } = await signalled('deed', ['config', 'list', '--input', '-'], 'SIGTERM', 500);
    expect([code, performance.now() - started < 3000]).toEqual([130, true]);
  });
});
