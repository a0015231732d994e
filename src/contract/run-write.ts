import { Fault } from '../base/fault.ts';
import type { JsonObject } from '../base/json.ts';
import { recordBegin } from './audit-call.ts';
import { applyBatch, planBatch, previewBatch } from './batch.ts';
import type { BatchCommand, WriteCommand } from './command.ts';
import type { CommandContext } from './context.ts';
import type { Invocation } from './invocation.ts';
import {
  abandonRequest,
  finishRequest,
  recallRequest,
  startRequest,
  type RequestKey,
} from './request-log.ts';
import { spendToken } from './spent-tokens.ts';
import { checkGate, offerToken, targetOf, targetsOf, type GateRequest, type Targets } from './write-gate.ts';

/** What a write must show: a token of a dry run, a request id, or nothing (the dialect has gates of its own). */
export type GatePolicy = 'token' | 'request-id' | 'open';

/**
 * The life of a write: recall the answer to a known request id; plan; answer a dry run, or check the gate; mark the audit
 * log; spend the token; apply; remember the answer.
 */
export async function runWrite(
  command: WriteCommand | BatchCommand,
  params: Record<string, unknown>,
  invocation: Invocation,
  context: CommandContext,
  gate: GatePolicy,
): Promise<JsonObject> {
  const key = requestKey(command, params, context);
  if (key && !context.dryRun) {
    const known = recallRequest(context.home, key);
    if (known) return { ...known, replayed: true };
  }
  if (gate === 'request-id' && !key && !context.dryRun) throw requestIdRequired(command);
  const request: GateRequest = {
    command,
    params,
    confirm: invocation.confirm,
    dangerous: invocation.dangerous,
  };
  const planned = await planWrite(command, params, invocation, context);
  if (context.dryRun) return offerToken(request, planned.targets, planned.preview, context);
  const token = gate === 'token' ? checkGate(request, planned.targets, context) : undefined;
  await recordBegin(context, invocation);
  if (token) {
    const warning = spendToken(token, context.home, context.world);
    if (warning !== undefined) context.warn(warning);
  }
  return key ? applyOnce(planned.apply, key, context) : planned.apply();
}

interface PlannedWrite {
  readonly targets: Targets;
  readonly preview: JsonObject;
  readonly apply: () => Promise<JsonObject>;
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
  const continueOnError = invocation.continueOnError ?? command.continueOnError ?? true;
  return {
    targets: planned.map(({ target, change }) =>
      change instanceof Fault ? { id: target, action: 'none', version: null } : targetOf(change),
    ),
    preview: previewBatch(command, planned),
    apply: () => applyBatch(command, planned, params, context, { continueOnError }),
  };
}

/** A fault means that the write was refused as a whole, so its request id is free again; a crash leaves it claimed. */
async function applyOnce(
  apply: () => Promise<JsonObject>,
  key: RequestKey,
  context: CommandContext,
): Promise<JsonObject> {
  startRequest(context.home, key);
  try {
    const result = await apply();
    finishRequest(context.home, key, result);
    return result;
  } catch (error) {
    if (error instanceof Fault && error.code !== 'E_INTERRUPTED') abandonRequest(context.home, key);
    throw error;
  }
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
    hint: 'Add --request-id with a value of your own, and use the same one when you retry.',
    details: { field: 'request_id' },
  });
}
