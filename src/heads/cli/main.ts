import { Fault } from '../../base/fault.ts';
import { LIMITS } from '../../base/limits.ts';
import { systemCode } from '../../base/system-fault.ts';
import type { Dialect, DialectCall, Output } from '../../contract/dialect.ts';
import { execute, type Runtime } from '../../contract/execute.ts';
import { codeRow, toFault } from '../../contract/exit-code.ts';
import type { Notice, Reply } from '../../contract/reply.ts';
import { maskFault } from '../../contract/shape-reply.ts';
import type { CommandTable } from '../../contract/table.ts';
import type { Tool } from '../../contract/tool.ts';
import type { World } from '../../contract/world.ts';
import { standardOutput } from './standard-output.ts';
import { processWorld } from './world.ts';

export interface Program {
  readonly tool: Tool;
  readonly table: CommandTable;
  readonly dialect: Dialect;
  readonly notices?: (world: World) => readonly Notice[];
}

/**
 * Runs a program on this process's arguments and leaves its exit code behind. Whatever happens, the caller gets exactly one
 * answer: the reply, or a fault when the command was interrupted, crashed outside its own promise, or never came to an end.
 */
export async function main(program: Program): Promise<void> {
  const output = standardOutput();
  const world = processWorld();
  const call = program.dialect(process.argv.slice(2), { ...program, world, output });
  const answer = answerOnce(call, output);
  const lifeline = watchProcess(answer);
  const runtime: Runtime = {
    ...program,
    world,
    gate: call.gate,
    signal: lifeline.signal,
    progress: call.progress,
    warn: call.warn,
    notices: () => program.notices?.(world) ?? [],
  };
  await answer(await execute(call.parse, runtime));
  lifeline.stop();
}

type Answer = (reply: Reply) => Promise<void>;

function answerOnce(call: DialectCall, output: Output): Answer {
  let answered = false;
  return async (reply) => {
    if (answered) return;
    answered = true;
    try {
      process.exitCode = await call.render(reply);
    } catch (error) {
      process.exitCode = answerBrokenOutput(error, output);
    }
  };
}

/** The reply could not be written: standard output is closed, full or gone. Standard error is the only place left to say so. */
function answerBrokenOutput(error: unknown, output: Output): number {
  const message = `Standard output cannot be written (${systemCode(error) ?? toFault(error).message}).`;
  output.stderr(`${JSON.stringify({ code: 'E_IO', message })}\n`);
  return codeRow('E_IO').exit;
}

/**
 * On SIGINT or SIGTERM the command is asked to unwind. If it does not within the grace, or a second signal comes, or it
 * crashes, the answer is given for it.
 */
function watchProcess(answer: Answer): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = (fault: Fault): void => {
    const reply: Reply = { kind: 'fault', fault, durationMs: Math.round(performance.now()), notices: [] };
    void answer(reply).finally(() => process.exit());
  };
  const onSignal = (): void => {
    if (controller.signal.aborted) return end(didNotUnwind());
    controller.abort(
      new Fault('E_INTERRUPTED', 'The command was interrupted.', { hint: 'It is safe to run it again.' }),
    );
    timer = setTimeout(() => end(didNotUnwind()), LIMITS.interruptGraceMs);
    return undefined;
  };
  const onCrash = (error: unknown): void => end(maskFault(toFault(error)));
  const onIdle = (): void => end(toFault(new Error('the command stopped without an answer')));
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  process.on('uncaughtException', onCrash).on('unhandledRejection', onCrash).on('beforeExit', onIdle);
  return {
    signal: controller.signal,
    stop: () => {
      clearTimeout(timer);
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
      process.off('uncaughtException', onCrash).off('unhandledRejection', onCrash).off('beforeExit', onIdle);
    },
  };
}

function didNotUnwind(): Fault {
  return new Fault('E_INTERRUPTED', 'The command was interrupted and did not come to rest in time.', {
    hint: 'Read the state before you run it again.',
  });
}
