import { Fault } from '../base/fault.ts';
import type { JsonObject } from '../base/json.ts';
import { recordBegin } from './audit-call.ts';
import { applyBatch, planBatch, previewBatch } from './batch.ts';
import type { BatchCommand, WriteCommand, CommandContext } from './command.ts';
import { toFault } from './exit-code.ts';
import type { GatePolicy } from './gate-policy.ts';
import type { Invocation } from './invocation.ts';
import {
  abandonRequest,
  finishRequest,
  recallRequest,
  startRequest,
  type RequestKey,
} from './request-log.ts';
import { parseToken, type ParsedToken } from './confirm-token.ts';
import { assertUnused, consumeToken } from './consume-token.ts';
import { deliverSignals } from '../system/deliver-signals.ts';
import { inTurn } from '../system/turn-queue.ts';
import { checkGate, offerToken, targetOf, targetsOf, type GateRequest, type Targets } from './write-gate.ts';

/**
 * The life cycle of a write: return the stored answer of a known request id; plan; answer a dry run, or check the gate; append to
 * the audit log; mark the token as used; apply; store the answer.
 */
export async function runWrite(
  command: WriteCommand | BatchCommand,
  params: Record<string, unknown>,
  invocation: Invocation,
  context: CommandContext,
  gate: GatePolicy,
): Promise<JsonObject> {
  const recall = command.kind === 'write' ? command.recall : undefined;
  const key = recall === undefined ? requestKey(command, params, context) : undefined;
  if (context.requestId !== undefined) {
    // A dry run is refused too when its request id was used for something else, before it issues a token.
    const known = key ? recallRequest(context.home, key) : await recall?.(params, context);
    if (known)
      return context.dryRun
        ? previewReplay(command, params, invocation, context)
        : { ...known, replayed: true };
  }
  if (gate === 'request-id' && context.requestId === undefined && !context.dryRun)
    throw requestIdRequired(command);
  const request: GateRequest = {
    command,
    params,
    token: gate === 'token' && !context.dryRun ? unusedToken(invocation, context) : undefined,
    dangerous: invocation.dangerous,
    continueOnError: continues(command, invocation),
  };
  const needsPlan = gate === 'token' || context.dryRun || !runsWithoutPlan(command);
  const planned = needsPlan
    ? await planWrite(command, params, invocation, context)
    : unplanned(command, params, context);
  if (context.dryRun) return offerToken(request, planned.targets, planned.preview, context);
  const token = gate === 'token' ? checkGate(request, planned.targets, context) : undefined;
  const write = async (): Promise<JsonObject> => {
    // Up to here, also after a wait for its turn, an interruption changes nothing, and the token stays valid.
    await deliverSignals();
    context.signal.throwIfAborted();
    await recordBegin(context, invocation, gate === 'open' && command.runsUnlogged === true);
    if (token) {
      const warning = consumeToken(token, context.home, context.system);
      if (warning !== undefined) context.warn(warning);
    }
    return key ? applyOnce(planned.apply, key, context) : planned.apply();
  };
  // Only short writes wait for their turn; a long one would keep others waiting.
  const isShort = command.kind === 'write' && recall !== undefined;
  return isShort ? inTurn(context.home.at('writers'), WRITERS, write) : write();
}

/** The dry run of a write that already happened: nothing would change, and the token is only for callers that always confirm. */
function previewReplay(
  command: WriteCommand | BatchCommand,
  params: Record<string, unknown>,
  invocation: Invocation,
  context: CommandContext,
): JsonObject {
  const preview = command.kind === 'batch' ? previewBatch(command, []) : { changes: [] };
  const request: GateRequest = {
    command,
    params,
    token: undefined,
    dangerous: invocation.dangerous,
    continueOnError: continues(command, invocation),
  };
  context.warn(
    `The request id ${context.requestId} was already used for this write. A retry would return the stored answer and write nothing.`,
  );
  return offerToken(request, [], { ...preview, replayed: true }, context);
}

/** Two at a time: one process prepares its write while the other one flushes its write to disk. */
const WRITERS = { slots: 2, waitMs: 20_000 } as const;

/** Reads the token before anything is planned, because a used one is reported as such in any state. */
function unusedToken({ confirm }: Invocation, context: CommandContext): ParsedToken | undefined {
  if (confirm === undefined) return undefined;
  const token = parseToken(confirm);
  assertUnused(token, context.home, context.system);
  return token;
}

function runsWithoutPlan(command: WriteCommand | BatchCommand): boolean {
  return command.kind === 'write' && (command.recall !== undefined || command.runsWithoutPlan === true);
}

function continues(command: WriteCommand | BatchCommand, invocation: Invocation): boolean | null {
  return command.kind === 'batch' ? (invocation.continueOnError ?? command.continueOnError ?? true) : null;
}

interface PlannedWrite {
  readonly targets: Targets;
  readonly preview: JsonObject;
  readonly apply: () => Promise<JsonObject>;
}

/** A write that checks the state itself and needs no token is not planned. */
function unplanned(
  command: WriteCommand | BatchCommand,
  params: Record<string, unknown>,
  context: CommandContext,
): PlannedWrite {
  if (command.kind === 'batch') throw new Error('a batch always has a plan');
  const apply = async (): Promise<JsonObject> =>
    (await command.run(params, context, { changes: [] })) as JsonObject;
  return { targets: [], preview: {}, apply };
}

async function planWrite(
  command: WriteCommand | BatchCommand,
  params: Record<string, unknown>,
  invocation: Invocation,
  context: CommandContext,
): Promise<PlannedWrite> {
  if (command.kind === 'write') {
    const plan = await command.plan(params, context);
    return {
      targets: targetsOf(plan),
      preview: { changes: plan.changes.map((change) => ({ ...change })) },
      apply: async () => (await command.run(params, context, plan)) as JsonObject,
    };
  }
  const planned = await planBatch(command, params, context);
  return {
    targets: planned.map(({ target, change }) =>
      change instanceof Fault ? { id: target, action: 'none', version: null } : targetOf(change),
    ),
    preview: previewBatch(command, planned),
    apply: () =>
      applyBatch(command, planned, params, context, {
        continueOnError: continues(command, invocation) ?? true,
      }),
  };
}

/**
 * Codes after which it is unknown whether the write happened: an upstream may have applied it although its response was lost. The
 * request id then stays claimed, as after a crash. Any other fault means that nothing was written, and releases the id; so does a
 * fault with `unchanged`, such as a lock that stayed busy.
 */
const OUTCOME_UNKNOWN: ReadonlySet<string> = new Set([
  'E_NETWORK',
  'E_SERVER',
  'E_TIMEOUT',
  'E_INTERRUPTED',
  'E_UNKNOWN',
]);

async function applyOnce(
  apply: () => Promise<JsonObject>,
  key: RequestKey,
  context: CommandContext,
): Promise<JsonObject> {
  const known = startRequest(context.home, key);
  if (known) return { ...known, replayed: true };
  let result: JsonObject;
  try {
    result = await apply();
  } catch (error) {
    const { code, unchanged } = toFault(error);
    if (unchanged || !OUTCOME_UNKNOWN.has(code)) abandonRequest(context.home, key);
    throw error;
  }
  try {
    finishRequest(context.home, key, result);
  } catch (error) {
    context.warn(
      `The write succeeded, but a retry with this request id will be rejected: ${toFault(error).message}`,
    );
  }
  return result;
}

function requestKey(
  command: WriteCommand | BatchCommand,
  params: unknown,
  context: CommandContext,
): RequestKey | undefined {
  if (context.requestId === undefined) return undefined;
  const agent = context.caller.agent ?? `uid ${context.caller.account.uid}`;
  return { agent, requestId: context.requestId, command: command.path, params };
}

function requestIdRequired(command: WriteCommand | BatchCommand): Fault {
  return new Fault('E_USAGE', `"${command.path}" needs a request id.`, {
    hint: 'Add --request-id with a unique value, and use the same value for retries.',
    details: { field: 'request_id' },
  });
}
