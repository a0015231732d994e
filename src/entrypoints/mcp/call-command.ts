import { excerpt, printable } from '../../base/text.ts';
import { identifyCaller } from '../../contract/caller.ts';
import { acceptsRequestId } from '../../contract/accepts-request-id.ts';
import { effectOf, type Command } from '../../contract/command.ts';
import { execute, type Runtime } from '../../contract/execute.ts';
import type { Invocation } from '../../contract/invocation.ts';
import { chooseFields } from '../../contract/choose-fields.ts';
import { dropOtherMarks } from '../../contract/shape-reply.ts';
import type { FaultReply, ValueReply } from '../../contract/reply.ts';
import type { McpCaller, McpHost } from './mcp-host.ts';
import { offeredCommand } from './offered-commands.ts';
import { wrongTool } from './wrong-tool.ts';

/** One command call of a client. */
export interface CommandCall {
  readonly effect: 'read' | 'write';
  readonly command: string;
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly dryRun?: boolean | undefined;
  readonly confirm?: string | undefined;
  readonly dangerous?: boolean | undefined;
  readonly continueOnError?: boolean | undefined;
  readonly requestId?: string | undefined;
  /** Set when the user of the client approved this call. */
  readonly asPerson?: boolean | undefined;
}

/**
 * Runs one command under the same `execute` as the command line: validated, gated, masked and in the audit log. Contract: never
 * throws.
 */
export async function callCommand(
  call: CommandCall,
  caller: McpCaller,
  host: McpHost,
): Promise<ValueReply | FaultReply> {
  const cleanUps: (() => void)[] = [];
  let command: Command | undefined;
  const parse = async (): Promise<Invocation> => {
    command ??= await offeredCommand(call.command, host);
    if (effectOf(command) !== call.effect) throw wrongTool(command);
    return toInvocation(call, command, caller, host);
  };
  // The gate depends on the command; an unknown command fails again in `parse`, where the fault becomes a reply.
  command = await offeredCommand(call.command, host).catch(() => undefined);
  const runtime: Runtime = {
    ...host,
    gate: command !== undefined && usesRequestId(command, call) ? 'request-id' : 'token',
    signal: AbortSignal.any([host.signal, caller.signal]),
    progress: caller.progress,
    warn: caller.warn,
    onForcedExit: () => undefined,
    cleanUp: (action) => cleanUps.push(action),
  };
  try {
    const reply = await execute(parse, runtime);
    if (reply.kind === 'stream') throw new Error('streams are not offered');
    return reply.kind === 'value' && command !== undefined
      ? dropUnselectedMarks(reply, call, command)
      : reply;
  } finally {
    for (const action of cleanUps) action();
    host.onCall(call.effect);
  }
}

/** In an answer with a selection of fields, `_untrusted` lists only those. */
function dropUnselectedMarks(reply: ValueReply, call: CommandCall, command: Command): ValueReply {
  const fields = fieldsOf(call, command);
  if (fields === undefined) return reply;
  const selection = chooseFields(command, fields, call.dryRun === true);
  return { ...reply, data: dropOtherMarks(reply.data, selection) };
}

/** Journal writes need a request id instead of a token: a retry returns the stored answer, and these writes delete nothing. */
function usesRequestId(command: Command, call: CommandCall): boolean {
  const isTokenFlow = call.dryRun === true || call.confirm !== undefined;
  return acceptsRequestId(command) && !isTokenFlow;
}

function toInvocation(call: CommandCall, command: Command, caller: McpCaller, host: McpHost): Invocation {
  return {
    command,
    params: call.parameters ?? {},
    fields: fieldsOf(call, command),
    dryRun: call.dryRun ?? false,
    confirm: call.confirm,
    dangerous: call.dangerous ?? false,
    continueOnError: call.continueOnError,
    requestId: call.requestId,
    session: host.session,
    // The agent in the environment was set by the user who configured this server, so it takes precedence over the client's name.
    ...(call.asPerson === true
      ? { agent: null }
      : identifyCaller(host.system).agent === null && { agent: clientName(caller) }),
  };
}

/** Without a selection the answer has the key fields of the command; a star selects all. A preview is always whole. */
function fieldsOf({ fields, dryRun }: CommandCall, command: Command): readonly string[] | undefined {
  if (fields === undefined) return dryRun === true ? undefined : command.keyFields;
  return fields.includes('*') ? undefined : fields;
}

function clientName({ client }: McpCaller): string {
  return client === undefined || client === '' ? 'mcp' : printable(excerpt(client, 64));
}
