import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { inheritEnvironment } from '../../system/child-environment.ts';
import { writeNewFile } from '../../system/durable-file.ts';
import { runCommand, type CommandOutcome } from '../../system/run-command.ts';
import { uniqueName } from '../../system/unique-name.ts';
import type { AgentExit } from './attempt.ts';

export interface AgentProgram {
  readonly argv: readonly string[];
  readonly projectDir: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The private folder for prompt files. */
  readonly folder: string;
  readonly log: (message: string) => void;
}

const ERROR_LINES = 20;

/** Runs the program of an agent on a prompt: `<command> [--project D] -p @file`. Its whole process tree is terminated when it exits. */
export async function runLoopAgent(program: AgentProgram, prompt: string): Promise<AgentExit> {
  const file = join(program.folder, `prompt-${uniqueName()}.md`);
  writeNewFile(file, prompt, 0o600, false);
  const project = program.projectDir === undefined ? [] : ['--project', program.projectDir];
  try {
    const ended = await runCommand([...program.argv, ...project, '-p', `@${file}`], {
      cwd: program.cwd,
      // The program is chosen by the caller and needs the caller's API keys.
      env: inheritEnvironment(program.env),
      timeoutMs: program.timeoutMs,
      signal: program.signal,
      maxOutputBytes: 64 * 1024,
      keepOutput: 'tail',
      mark: { name: 'VYBE_LOOP_TASK', value: uniqueName() },
    });
    const error = lastLines(ended);
    if (ended.exitCode !== 0)
      program.log(`The agent exited with ${String(ended.exitCode)}: ${error.slice(-500)}`);
    return { outcome: ended.exitCode === 0 ? 'exited' : 'failed', error };
  } catch (error) {
    if (error instanceof Fault && error.code === 'E_TIMEOUT') return { outcome: 'timeout', error: '' };
    throw error;
  } finally {
    rmSync(file, { force: true });
  }
}

/** The exit code and the last lines of the error output, or of the output if there is none. */
function lastLines({ exitCode, stdout, stderr }: CommandOutcome): string {
  const text = stderr.trim() === '' ? stdout : stderr;
  const lines = text.trim().split('\n').slice(-ERROR_LINES).join('\n');
  const how = exitCode === null ? 'It was terminated by a signal.' : `It exited with code ${exitCode}.`;
  return `${lines}\n${how}`.trim();
}

/** Runs the post hook of the caller after the loop, with the result on standard input and in VYBE_LOOP_RESULT. */
export async function runPostHook(program: AgentProgram, result: string): Promise<void> {
  const { exitCode } = await runCommand(program.argv, {
    cwd: program.cwd,
    env: inheritEnvironment({ ...program.env, VYBE_LOOP_RESULT: result }),
    input: result,
    timeoutMs: program.timeoutMs,
    signal: program.signal,
  });
  if (exitCode !== 0) program.log(`The post hook exited with ${String(exitCode)}.`);
}
