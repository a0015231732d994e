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
import { deliverSignals } from '../../system/deliver-signals.ts';
import type { EarlySignals } from './early-signals.ts';
import { exemptLoopback } from './exempt-loopback.ts';
import { holdOutput, type HeldOutput } from './held-output.ts';
import { processSystem } from './process-system.ts';
import { standardOutput } from './standard-output.ts';
import { unsupportedPlatform } from './supported-platform.ts';

export interface CliProgram {
  readonly tool: Tool;
  readonly table: CommandTable;
  readonly dialect: Dialect;
  readonly notices?: (system: System) => Promise<readonly Notice[]>;
  /** Absent in a program that does not catch signals early. */
  readonly signals?: EarlySignals;
}

/**
 * Runs a program with this process's arguments and sets the exit code. The caller always gets exactly one answer: the reply, or a
 * fault when the command was interrupted, crashed outside its own promise, or never finished.
 */
export async function main(program: CliProgram): Promise<void> {
  const watch = watchProcess(program.signals);
  redirectConsole();
  exemptLoopback(process.env);
  const output = holdOutput(standardOutput());
  const system = processSystem(watch.signal);
  const typed = process.argv.slice(2);
  const call = program.dialect(typed, { ...program, system, output });
  const cleanUps: (() => void)[] = [];
  const runtime: Runtime = {
    ...program,
    system,
    gate: call.gate,
    signal: watch.signal,
    typed,
    lost: watch.lost,
    progress: call.progress,
    follow: call.follow,
    warn: call.warn,
    onForcedExit: watch.onForcedExit,
    cleanUp: (action) => cleanUps.push(action),
    notices: async () => (await program.notices?.(system)) ?? [],
  };
  const unsupported = unsupportedPlatform(program.tool.name, system.platform);
  const reply: Reply =
    unsupported === undefined
      ? await execute(call.parse, runtime)
      : { kind: 'fault', fault: unsupported, durationMs: 0, notices: [] };
  process.exitCode = await answer(call, reply, output, watch.signal);
  watch.stop();
  for (const action of cleanUps) action();
}

/** Standard output is only for the answer; console output of a library would break the caller's parser. */
function redirectConsole(): void {
  const { error } = console;
  Object.assign(console, { log: error, info: error, debug: error });
}

async function answer(
  call: DialectCall,
  reply: Reply,
  output: HeldOutput,
  signal: AbortSignal,
): Promise<number> {
  try {
    return await render(call, reply, output, signal);
  } catch (error) {
    output.discard();
    // `--help | head` closes the pipe early; that is not an error.
    const isClosedPager = call.isHelp?.() === true && systemCode(error) === 'EPIPE';
    return isClosedPager ? codeRow('E_IO').exit : answerBrokenOutput(error, output);
  }
}

/** Renders a reply. A signal that was received before the answer of a read is written replaces that answer. */
async function render(
  call: DialectCall,
  reply: Reply,
  output: HeldOutput,
  signal: AbortSignal,
): Promise<number> {
  if (reply.kind !== 'value' || reply.changesNothing !== true) return call.render(reply);
  output.hold();
  const exitCode = await call.render(reply);
  await deliverSignals();
  if (!signal.aborted) {
    output.release();
    return exitCode;
  }
  output.discard();
  const { durationMs, notices } = reply;
  return call.render({ kind: 'fault', fault: toFault(signal.reason), durationMs, notices });
}

/**
 * Reports on standard error that the reply could not be written: standard output is closed or full, or rendering failed.
 */
function answerBrokenOutput(error: unknown, output: Output): number {
  const reason = systemCode(error);
  const code = reason === undefined ? 'E_UNKNOWN' : 'E_IO';
  const message =
    reason === undefined ? toFault(error).message : `Standard output cannot be written (${reason}).`;
  output.stderr(`${JSON.stringify({ code, message })}\n`);
  return codeRow(code).exit;
}

const TERMINATION_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface ProcessWatch {
  readonly signal: AbortSignal;
  readonly lost: Promise<never>;
  readonly onForcedExit: Runtime['onForcedExit'];
  /** Called after the answer: remaining timers and connections must not delay the exit. */
  readonly stop: () => void;
}

/**
 * On SIGINT, SIGTERM or SIGHUP, which a closed terminal sends, the command is aborted. If it does not stop within the grace period,
 * or a second signal arrives, or it crashes, it is abandoned.
 */
function watchProcess(early: EarlySignals | undefined): ProcessWatch {
  const controller = new AbortController();
  const { promise: lost, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  let createFault = didNotStop;
  let isAbandoned = false;
  let mayWait = false;
  let isAnswered = false;
  const abandon = (error: unknown): void => {
    isAbandoned = true;
    reject(error);
  };
  const onSignal = (): void => {
    // After the answer, a signal must not change the exit code.
    if (isAnswered) process.exit();
    if (controller.signal.aborted) return abandon(createFault());
    controller.abort(
      new Fault('E_INTERRUPTED', 'The command was interrupted.', { hint: 'It is safe to run it again.' }),
    );
    if (!mayWait) timer = setTimeout(() => abandon(createFault()), LIMITS.interruptGraceMs);
    return undefined;
  };
  const onIdle = (): void => abandon(new Error('the command stopped without an answer'));
  lost.catch(() => undefined);
  if (early === undefined) for (const name of TERMINATION_SIGNALS) process.on(name, onSignal);
  else early.passTo(onSignal);
  process.on('uncaughtException', abandon).on('unhandledRejection', abandon).on('beforeExit', onIdle);
  return {
    signal: controller.signal,
    lost,
    onForcedExit: (create, { waits = false } = {}) => {
      createFault = create;
      mayWait = waits;
    },
    stop: () => {
      isAnswered = true;
      clearTimeout(timer);
      process.off('beforeExit', onIdle);
      if (isAbandoned) process.exit();
      setTimeout(() => process.exit(), LIMITS.leftoverGraceMs).unref();
    },
  };
}

function didNotStop(): Fault {
  return new Fault('E_INTERRUPTED', 'The command was interrupted and did not stop in time.', {
    hint: 'Check the state before you run it again.',
  });
}
