import { Fault } from '../base/fault.ts';
import type { JsonObject } from '../base/json.ts';
import { LIMITS } from '../base/limits.ts';
import { raceAbort } from '../base/race-abort.ts';
import { unsafeText } from '../base/text.ts';
import { deliverSignals } from '../system/deliver-signals.ts';
import { monotonicMs } from '../system/monotonic-ms.ts';
import type { GatePolicy } from './gate-policy.ts';
import { recordBegin, recordEnd } from './audit-call.ts';
import { identifyCaller } from './caller.ts';
import { findHomeFault } from './find-home-fault.ts';
import { effectOf, type CommandContext, type CommandTable, type StreamCommand } from './command.ts';
import type { OnForcedExit } from './on-forced-exit.ts';
import { toFault } from './exit-code.ts';
import { locateHome } from './home.ts';
import type { Invocation } from './invocation.ts';
import type { ProgressItem } from './progress-item.ts';
import type { Notice, Reply } from './reply.ts';
import { resolveIds } from './resolve-ids.ts';
import type { Selection } from './select-fields.ts';
import type { streamLines } from './stream-lines.ts';
import { shapeFault, shapeValue } from './shape-reply.ts';
import { toolVariable, type Tool } from './tool.ts';
import { validateParameters } from './validate-parameters.ts';
import type { System } from './system.ts';

/** What `execute` needs besides the call itself; an entrypoint supplies it. */
export interface Runtime {
  readonly tool: Tool;
  readonly table: CommandTable;
  readonly system: System;
  readonly gate: GatePolicy;
  readonly signal: AbortSignal;
  /** The command line, for the audit log of a call that cannot be parsed. */
  readonly typed?: readonly string[];
  /** Rejects when the command will not finish: it ignored the signal, crashed outside its promise, or hangs. */
  readonly lost?: Promise<never>;
  readonly progress: (message: string) => void;
  /** Shows an item of long work; absent where no terminal shows it. */
  readonly follow?: ((item: ProgressItem) => boolean) | undefined;
  readonly warn: (message: string) => void;
  /** Sets the answer of the command for the case that the process is forced to exit before the command finishes. */
  readonly onForcedExit: OnForcedExit;
  /** Registers an action for after the answer; absent when the process exits after the call. */
  readonly cleanUp?: (action: () => void) => void;
  /** Notices that are known without a network request, such as a cached newer version. Contract: must not throw. */
  readonly notices: () => Promise<readonly Notice[]>;
}

/**
 * Runs one call from parsing to the reply. Contract: never throws; every failure, including parse errors and crashes, is a fault
 * reply. Each call is recorded in the audit log; a write that cannot be recorded is rejected.
 */
export async function execute(parse: () => Promise<Invocation>, runtime: Runtime): Promise<Reply> {
  const startedAt = monotonicMs();
  const elapsed = (): number => Math.round(monotonicMs() - startedAt);
  let invocation: Invocation | undefined;
  let context = createContext(runtime);
  const homeFault = findHomeFault(context.home, context.tool, context.caller.account.euid);
  const notices = async (): Promise<readonly Notice[]> =>
    homeFault === undefined ? await runtime.notices() : [];
  const answer = async (): Promise<Reply> => {
    // Parsing changes nothing, so an interruption does not wait for input that may never arrive.
    invocation = await raceAbort(parse(), context.signal);
    if (homeFault !== undefined && invocation.command.needsNoHome !== true) throw homeFault;
    context = { ...context, ...callOf(context, invocation) };
    const { command } = invocation;
    const given = await validateParameters(command, invocation.params);
    assertFlagsApply(invocation, runtime.gate);
    const fields = await selectionOf(invocation, context.dryRun);
    const ids = await resolveIds(command, given, context);
    const params = { ...given, ...ids };
    // The audit log contains full ids.
    invocation = { ...invocation, params: { ...invocation.params, ...ids } };
    const isChecked = isOutputChecked(context.tool, context.system);
    const finish = (code: string | null): Promise<void> => recordEnd(context, invocation, code, elapsed());
    if (command.kind === 'stream') {
      const stream = isChecked ? await checkedStream(command) : command;
      const lines = await openStream(stream, params, context, { fields, finish, lost: runtime.lost });
      return { kind: 'stream', lines, durationMs: elapsed(), notices: await runtime.notices() };
    }
    if (command.kind === 'write' && command.streams?.(params) === true && !context.dryRun) {
      const write = async (emit: CommandContext['emit']): Promise<JsonObject> =>
        shapeValue(
          command,
          await run(invocation as Invocation, params, { ...context, emit }, runtime.gate),
          fields,
        ).data;
      const lines = (await import('./stream-write.ts')).streamWrite(write, finish, runtime.lost);
      return { kind: 'stream', lines, durationMs: elapsed(), notices: await runtime.notices() };
    }
    const onlyReads = command.kind === 'write' && command.onlyReads?.(params) === true;
    if (onlyReads) assertReadFlags(invocation, 'with these arguments it');
    const changesNothing = effectOf(command) === 'read' || context.dryRun || onlyReads;
    const result = onlyReads
      ? ((await command.run(params, context, { changes: [] })) as JsonObject)
      : await run(invocation, params, context, runtime.gate);
    if (isChecked && !(context.dryRun && command.kind !== 'exempt'))
      await (await import('./assert-output.ts')).assertOutput(command, result);
    const shaped = shapeValue(command, result, fields);
    if (changesNothing) {
      // A read that was interrupted may have seen only a part, and repeating it costs nothing.
      await deliverSignals();
      context.signal.throwIfAborted();
    }
    if (homeFault === undefined) await recordEnd(context, invocation, null, elapsed());
    const value = { kind: 'value', ...shaped, params, changesNothing } as const;
    return { ...value, durationMs: elapsed(), notices: await notices() };
  };
  try {
    return await (runtime.lost === undefined ? answer() : Promise.race([answer(), runtime.lost]));
  } catch (error) {
    const fault = toFault(error);
    // Nothing is read from or written to a home that another account controls.
    if (homeFault === undefined) await recordEnd(context, invocation, fault.code, elapsed(), runtime.typed);
    return {
      kind: 'fault',
      ...shapeFault(fault, invocation?.command),
      durationMs: elapsed(),
      notices: await notices(),
    };
  }
}

/** Only a call that selects fields loads their parser. */
async function selectionOf({ command, fields }: Invocation, dryRun: boolean): Promise<Selection | undefined> {
  return fields && (await import('./choose-fields.ts')).chooseFields(command, fields, dryRun);
}

/** Only a command that streams loads how its items become lines. */
async function openStream(...call: Parameters<typeof streamLines>): Promise<ReturnType<typeof streamLines>> {
  return (await import('./stream-lines.ts')).streamLines(...call);
}

/** Checks each item of a stream before it is sent. */
async function checkedStream(command: StreamCommand): Promise<StreamCommand> {
  const { assertOutput } = await import('./assert-output.ts');
  return {
    ...command,
    run: async function* (params, context) {
      for await (const item of command.run(params, context)) {
        await assertOutput(command, item as JsonObject);
        yield item;
      }
    },
  };
}

/** Whether the answers are compared with their schemas, for the tests of a program: `DEED_CHECK_OUTPUT=1`. */
function isOutputChecked(tool: Tool, { env }: System): boolean {
  return env[toolVariable(tool, 'CHECK_OUTPUT')] === '1';
}

async function run(
  invocation: Invocation,
  params: Record<string, unknown>,
  context: CommandContext,
  gate: GatePolicy,
): Promise<JsonObject> {
  const { command } = invocation;
  switch (command.kind) {
    case 'read':
      return (await command.run(params, context)) as JsonObject;
    case 'exempt':
      if (!context.dryRun) await recordBegin(context, invocation);
      return (await command.run(params, context)) as JsonObject;
    case 'write':
    case 'batch':
      return (await import('./run-write.ts')).runWrite(command, params, invocation, context, gate);
    case 'stream':
      throw new Error('a stream cannot run as a value');
  }
}

/** Rejects flags that have no effect on this command instead of ignoring them. */
function assertFlagsApply(invocation: Invocation, gate: GatePolicy): void {
  const { command, requestId } = invocation;
  if (requestId !== undefined && !isRequestId(requestId)) {
    throw new Fault('E_VALIDATION', `--request-id must have 1 to ${LIMITS.requestIdCharacters} characters.`, {
      hint: 'Use a unique id, such as a UUID.',
      details: { field: 'request_id', max: LIMITS.requestIdCharacters },
    });
  }
  if (effectOf(command) === 'write') {
    if (command.kind === 'exempt' && invocation.confirm !== undefined) {
      throw doesNotApply('--confirm', `"${command.path}" needs no confirm token`);
    }
    if (invocation.dryRun && invocation.confirm !== undefined)
      throw doesNotApply('--confirm', 'a dry run changes nothing and needs no token');
  } else {
    assertReadFlags(invocation, `"${command.path}"`);
    // The other programs accept it everywhere, as their contracts say.
    if (requestId !== undefined && gate === 'token')
      throw doesNotApply('--request-id', `"${command.path}" only reads`);
  }
}

function assertReadFlags({ dryRun, confirm }: Invocation, subject: string): void {
  if (dryRun) throw doesNotApply('--dry-run', `${subject} only reads`);
  if (confirm !== undefined) throw doesNotApply('--confirm', `${subject} only reads`);
}

function isRequestId(text: string): boolean {
  return text !== '' && text.length <= LIMITS.requestIdCharacters && unsafeText(text) === undefined;
}

function doesNotApply(flag: string, why: string): Fault {
  return new Fault('E_USAGE', `${flag} does not apply: ${why}.`, {
    hint: `Remove ${flag}.`,
    details: { flag },
  });
}

/** The context before the call is parsed: enough to answer and log a call that cannot be parsed. */
function createContext(runtime: Runtime): CommandContext {
  const { tool, table, system, signal, progress, onForcedExit, notices } = runtime;
  const warnings: string[] = [];
  return {
    tool,
    table,
    system,
    signal,
    progress,
    follow: runtime.follow ?? (() => false),
    emit: () => undefined,
    warn: (message) => {
      if (warnings.length < LIMITS.recordedWarnings) warnings.push(message);
      runtime.warn(message);
    },
    warnings,
    onForcedExit,
    cleanUp: runtime.cleanUp ?? (() => undefined),
    notices,
    home: locateHome(tool, system),
    caller: identifyCaller(system),
    dryRun: false,
    requestId: undefined,
    gate: runtime.gate,
  };
}

/** The part of the context that comes from the call itself. */
function callOf(
  { caller }: CommandContext,
  { agent, session, dryRun, requestId }: Invocation,
): Pick<CommandContext, 'caller' | 'dryRun' | 'requestId'> {
  const own = agent === undefined ? {} : { agent, answered: agent === null };
  return { caller: { session, ...caller, ...own }, dryRun, requestId };
}
