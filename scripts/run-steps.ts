import { spawn } from 'node:child_process';
import { ROOT } from './build-constants.ts';

export interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** The names of steps that must have ended before this one starts. */
  readonly after?: readonly string[];
}

export interface StepResult {
  readonly name: string;
  readonly ok: boolean;
}

/** Runs steps, several at a time, in the order of the list as far as their dependencies allow. A failed step does not stop the others. */
export async function runSteps(steps: readonly Step[], concurrency: number): Promise<StepResult[]> {
  const waiting = [...steps];
  const results: StepResult[] = [];
  const running = new Set<Promise<void>>();
  const isReady = ({ after = [] }: Step): boolean =>
    after.every((needed) => results.some(({ name }) => name === needed));
  const start = async (step: Step): Promise<void> => {
    results.push(await runStep(step));
  };
  while (waiting.length > 0 || running.size > 0) {
    const next = running.size < concurrency ? waiting.find(isReady) : undefined;
    if (next !== undefined) {
      waiting.splice(waiting.indexOf(next), 1);
      const run: Promise<void> = start(next).finally(() => running.delete(run));
      running.add(run);
    } else if (running.size > 0) await Promise.race(running);
    else throw new Error(`Steps that wait for each other: ${waiting.map(({ name }) => name).join(', ')}`);
  }
  return results;
}

/** Fewer garbage collections for the compiler and the linter, which are Go programs: they exit before they have used much memory. */
const GO_GC_PERCENT = '400';

/** Runs a step and prints its output and a line with its result. With `pipe` the output is printed when the step has ended. */
export async function runStep(
  { name, command: [program, ...args] }: Step,
  output: 'inherit' | 'pipe' = 'pipe',
): Promise<StepResult> {
  const startedAt = performance.now();
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: ['ignore', output, output],
    env: { GOGC: GO_GC_PERCENT, ...process.env, PATH: `${ROOT}node_modules/.bin:${process.env.PATH}` },
  });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ok = await new Promise<boolean>((resolve) => {
    child.on('error', (error) => {
      chunks.push(Buffer.from(`${error.message}\n`));
      resolve(false);
    });
    child.on('close', (code) => resolve(code === 0));
  });
  process.stdout.write(Buffer.concat(chunks));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${ok ? 'ok' : 'FAILED'}  ${name} (${seconds} s)`);
  return { name, ok };
}
