import { Fault } from '../../base/fault.ts';
import { LIMITS } from '../../base/limits.ts';
import { systemCode } from '../../base/system-fault.ts';
import type { CommandTable } from '../../contract/command.ts';
import type { Dialect, DialectCall, Output } from '../../contract/dialect.ts';
import { execute, type Runtime } from '../../contract/execute.ts';
import { codeRow, toFault } from '../../contract/exit-code.ts';
import type { Notice, Reply } from '../../contract/reply.ts';
import type { Tool } from '../../contract/tool.ts';
import type { System } from '../../contract/system.ts';
import type { EarlySignals } from './early-signals.ts';
import { exemptLoopback } from './exempt-loopback.ts';
import { processSystem } from './process-system.ts';
import { standardOutput } from './standard-output.ts';
import { unsupportedPlatform } from './supported-platform.ts';

export interface Program {
  readonly tool: Tool;
  readonly table: CommandTable;
  readonly dialect: Dialect;
  readonly notices?: (system: System) => Promise<readonly Notice[]>;
  /** Left out by a program that did not catch any. */
  readonly signals?: EarlySignals;
}

/**
 * Runs a program on this process's arguments and leaves its exit code behind. Whatever happens, the caller gets exactly one
 * answer: the reply, or a fault when the command was interrupted, crashed outside its own promise, or never came to an end.
 */
export async function main(program: Program): Promise<void> {
  const lifeline = watchProcess(program.signals);
  keepStandardOutput();
  exemptLoopback(process.env);
  const output = standardOutput();
  const system = processSystem(lifeline.signal);
  const call = program.dialect(process.argv.slice(2), { ...program, system, output });
  const cleanUps: (() => void)[] = [];
  const runtime: Runtime = {
    ...program,
    system,
    gate: call.gate,
    signal: lifeline.signal,
    lost: lifeline.lost,
    progress: call.progress,
    warn: call.warn,
    lastWords: lifeline.lastWords,
    cleanUp: (action) => cleanUps.push(action),
    notices: async () => (await program.notices?.(system)) ?? [],
  };
  const unsupported = unsupportedPlatform(program.tool.name, system.platform);
  const reply: Reply =
    unsupported === undefined
      ? await execute(call.parse, runtime)
      : { kind: 'fault', fault: unsupported, durationMs: 0, notices: [] };
  process.exitCode = await answer(call, reply, output);
  lifeline.stop();
  for (const action of cleanUps) action();
}

/** Standard output is for the answer alone; a library that prints a remark there would break whoever parses it. */
function keepStandardOutput(): void {
  const { error } = console;
  Object.assign(console, { log: error, info: error, debug: error });
}

async function answer(call: DialectCall, reply: Reply, output: Output): Promise<number> {
  try {
    return await call.render(reply);
  } catch (error) {
    // `--help | head` has what it wanted.
    const isEnough = call.isHelp?.() === true && systemCode(error) === 'EPIPE';
    return isEnough ? codeRow('E_IO').exit : answerBrokenOutput(error, output);
  }
}

/**
 * The reply could not be given: standard output is closed, full or gone, or rendering failed. Standard error is the only place left
 * to say so.
 */
function answerBrokenOutput(error: unknown, output: Output): number {
  const reason = systemCode(error);
  const code = reason === undefined ? 'E_UNKNOWN' : 'E_IO';
  const message =
    reason === undefined ? toFault(error).message : `Standard output cannot be written (${reason}).`;
  output.stderr(`${JSON.stringify({ code, message })}\n`);
  return codeRow(code).exit;
}

const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface Lifeline {
  readonly signal: AbortSignal;
  readonly lost: Promise<never>;
  readonly lastWords: Runtime['lastWords'];
  /** The answer is given: nothing that still runs may hold up the caller. */
  readonly stop: () => void;
}

/**
 * On SIGINT, SIGTERM or SIGHUP, which a closed terminal sends, the command is asked to unwind. If it does not within the grace, or a
 * second signal comes, or it crashes, it is given up.
 */
function watchProcess(early: EarlySignals | undefined): Lifeline {
  const controller = new AbortController();
  const { promise: lost, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  let tell = didNotUnwind;
  let gaveUp = false;
  let isAnswered = false;
  const giveUp = (error: unknown): void => {
    gaveUp = true;
    reject(error);
  };
  const onSignal = (): void => {
    // Who has the answer gets its exit code too, whatever it sends.
    if (isAnswered) process.exit();
    if (controller.signal.aborted) return giveUp(tell());
    controller.abort(
      new Fault('E_INTERRUPTED', 'The command was interrupted.', { hint: 'It is safe to run it again.' }),
    );
    timer = setTimeout(() => giveUp(tell()), LIMITS.interruptGraceMs);
    return undefined;
  };
  const onIdle = (): void => giveUp(new Error('the command stopped without an answer'));
  lost.catch(() => undefined);
  if (early === undefined) for (const name of ENDING_SIGNALS) process.on(name, onSignal);
  else early.passTo(onSignal);
  process.on('uncaughtException', giveUp).on('unhandledRejection', giveUp).on('beforeExit', onIdle);
  return {
    signal: controller.signal,
    lost,
    lastWords: (words) => {
      tell = words;
    },
    stop: () => {
      isAnswered = true;
      clearTimeout(timer);
      process.off('beforeExit', onIdle);
      if (gaveUp) process.exit();
      setTimeout(() => process.exit(), LIMITS.leftoverGraceMs).unref();
    },
  };
}

function didNotUnwind(): Fault {
  return new Fault('E_INTERRUPTED', 'The command was interrupted and did not come to rest in time.', {
    hint: 'Read the state before you run it again.',
  });
}
