import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Situation, Stage } from './situation.ts';

export interface StartContext {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
}

const READY_MS = 120_000;
const PRELUDE = new URL('prelude.sh', import.meta.url).pathname;
const LIVING: ReadonlySet<Stage> = new Set(['owner', 'terminal']);

/** Starts a situation and brings it to its stage. Returns an error as text, or undefined. */
export async function startSituation(
  situation: Situation,
  { folder, env, port }: StartContext,
): Promise<string | undefined> {
  const dir = join(folder, situation.id);
  mkdirSync(dir, { recursive: true });
  const script = join(dir, 'start.sh');
  const last = LIVING.has(situation.stage) || situation.stage === 'hangup' ? 'wait; sleep 100000' : '';
  writeFileSync(script, `. ${PRELUDE}\ncd "$DIR"\n${situation.run}\ntouch "$DIR/ready"\n${last}\n`);
  const variables = { ...env, DIR: dir, HOME: dir, PORT: String(port), TEST_SITUATION: situation.id };
  const child = spawnScript(situation.stage, script, dir, variables);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => {});
  child.stdout?.resume();
  child.stderr?.resume();
  const exited = once(child, 'exit');
  for (const until = performance.now() + READY_MS; !existsSync(join(dir, 'ready')); await sleep(50)) {
    if (performance.now() > until) return `not ready after ${READY_MS / 1000} s: ${readErrors(dir)}`;
  }
  if (situation.stage === 'hangup') child.kill('SIGKILL');
  if (!LIVING.has(situation.stage)) {
    await exited;
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  }
  return undefined;
}

/** Each script has its own session. Errors of the functions are kept in a file, except where the stage needs all pipes. */
function spawnScript(stage: Stage, script: string, dir: string, env: Record<string, string>): ChildProcess {
  const onTerminal = stage === 'terminal' || stage === 'hangup';
  const command = onTerminal ? ['script', '-qec', `exec bash ${script}`, '/dev/null'] : ['bash', script];
  const errors = openSync(join(dir, 'start.err'), 'a');
  const detached = stage === 'detached';
  const child = spawn(command[0] ?? '', command.slice(1), {
    cwd: dir,
    env,
    detached: true,
    stdio: detached ? ['ignore', 'ignore', 'ignore'] : ['pipe', 'pipe', stage === 'orphan' ? 'pipe' : errors],
  });
  closeSync(errors);
  return child;
}

function readErrors(dir: string): string {
  return readFileSync(join(dir, 'start.err'), 'utf8').trim().slice(-300);
}
