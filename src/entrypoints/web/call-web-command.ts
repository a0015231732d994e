import * as v from 'valibot';
import { Fault } from '../../base/fault.ts';
import { isDeeperThan } from '../../base/json.ts';
import { LIMITS } from '../../base/limits.ts';
import { record, strictObject } from '../../base/schema.ts';
import { acceptsRequestId } from '../../contract/accepts-request-id.ts';
import { effectOf, type Command } from '../../contract/command.ts';
import { execute, type Runtime } from '../../contract/execute.ts';
import type { Invocation } from '../../contract/invocation.ts';
import type { Reply } from '../../contract/reply.ts';
import type { WebSession } from './web-sign-in.ts';
import { webCommand } from './web-commands.ts';
import type { WebHost } from './web-host.ts';

/** One call of the pages. */
const CALL = strictObject({
  command: v.string(),
  parameters: v.optional(record(v.unknown()), {}),
  dry_run: v.optional(v.boolean(), false),
  confirm: v.optional(v.string()),
  dangerous: v.optional(v.boolean(), false),
  request_id: v.optional(v.string()),
});

type WebCall = v.InferOutput<typeof CALL>;

/** A reply, and what to do after it was sent. */
export interface WebReply {
  readonly reply: Reply;
  readonly cleanUp: () => void;
}

/**
 * Runs one command under the same `execute` as the command line: validated, gated, masked and in the audit log. Contract: never
 * throws.
 */
export async function callWebCommand(
  body: unknown,
  session: WebSession,
  disconnected: AbortSignal,
  host: WebHost,
): Promise<WebReply> {
  const cleanUps: (() => void)[] = [];
  // A browser that disconnects or signs out ends its reads; a confirmed write is completed.
  const interruption = new AbortController();
  let effect: 'read' | 'write' = 'read';
  const parse = async (): Promise<Invocation> => {
    const call = readCall(body);
    const command = await webCommand(call.command, call.parameters, host);
    effect = effectOf(command);
    if (effect === 'read')
      for (const signal of [disconnected, session.ended]) cleanUps.push(endWith(signal, interruption));
    return toInvocation(call, command, session, host);
  };
  const runtime: Runtime = {
    ...host,
    // The terminal of the server does not show that a person made this call; the session does.
    system: { ...host.system, account: accountOf(session, host), hasTerminal: () => false },
    gate: await gateFor(body, host),
    signal: AbortSignal.any([host.signal, interruption.signal]),
    progress: () => undefined,
    onForcedExit: () => undefined,
    cleanUp: (action) => cleanUps.push(action),
  };
  const reply = await execute(parse, runtime);
  host.onCall(effect);
  return {
    reply,
    cleanUp: () => {
      for (const action of cleanUps) action();
    },
  };
}

/** Writes to the store need a request id instead of a token, unless they have a dry run first. */
async function gateFor(body: unknown, host: WebHost): Promise<Runtime['gate']> {
  const read = v.safeParse(CALL, body);
  if (!read.success || read.output.request_id === undefined) return 'token';
  const { command, parameters } = read.output;
  // An unknown command fails again when the call is parsed, where the fault becomes a reply.
  const found = await webCommand(command, parameters, host).catch(() => undefined);
  return found !== undefined && acceptsRequestId(found) ? 'request-id' : 'token';
}

function readCall(body: unknown): WebCall {
  if (isDeeperThan(body, LIMITS.inputDepth))
    throw new Fault('E_VALIDATION', 'Invalid call: it is nested too deeply.', {
      hint: 'Reload the page: it may belong to another version of deed.',
      details: {},
    });
  const read = v.safeParse(CALL, body);
  if (read.success) return read.output;
  const [issue] = read.issues;
  throw new Fault('E_VALIDATION', `Invalid call: ${issue.message}.`, {
    hint: 'Reload the page: it may belong to another version of deed.',
    details: { field: v.getDotPath(issue) ?? '' },
  });
}

/** Returns what removes the listener: a session lasts longer than its calls. */
function endWith(signal: AbortSignal, controller: AbortController): () => void {
  const abort = (): void =>
    controller.abort(new Fault('E_INTERRUPTED', 'The browser disconnected.', { hint: 'Reload the page.' }));
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}

/** The account of the server, with the name of the person. */
function accountOf({ name }: WebSession, { system }: WebHost): WebHost['system']['account'] {
  return name === undefined ? system.account : { ...system.account, user: name };
}

function toInvocation(call: WebCall, command: Command, { isPerson }: WebSession, host: WebHost): Invocation {
  return {
    command,
    params: call.parameters,
    fields: undefined,
    dryRun: call.dry_run,
    confirm: call.confirm,
    dangerous: call.dangerous,
    continueOnError: undefined,
    requestId: call.request_id,
    session: host.session,
    ...(isPerson && { agent: null }),
  };
}
