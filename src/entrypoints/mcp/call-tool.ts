import {
  isInputRequiredResult,
  type CallToolResult,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import type { JsonObject } from '../../base/json.ts';
import { toFault } from '../../contract/exit-code.ts';
import type { FaultReply, ValueReply } from '../../contract/reply.ts';
import { envelope } from '../../dialects/deed/envelope.ts';
import { askApproval, continueApproval } from './ask-approval.ts';
import { askPerson, continueAsPerson } from './ask-person.ts';
import { callCommand, type CommandCall } from './call-command.ts';
import { describeOffered, findCommands } from './discover-commands.ts';
import type { McpCaller, McpHost } from './mcp-host.ts';
import { adviceInMcpTerms, faultInMcpTerms, type TermsScope } from './mcp-terms.ts';
import { readArguments, type ToolArguments } from './read-arguments.ts';

/** Calls one of the four tools. Every answer is an envelope in the terms of MCP; a call for a person may be a question instead. */
export async function callTool(
  name: string,
  given: Readonly<Record<string, unknown>>,
  caller: McpCaller,
  host: McpHost,
): Promise<CallToolResult | InputRequiredResult> {
  const startedAt = performance.now();
  const elapsed = (): number => Math.round(performance.now() - startedAt);
  let command: string | undefined;
  try {
    const read = readArguments(name, given, host.tool.name);
    command = read.command;
    if (name === 'call-read' || name === 'call-write') {
      const reply = await runCall(toCall(name, read), caller, host);
      return isInputRequiredResult(reply) ? reply : await answer(reply, command, host);
    }
    const data =
      name === 'find'
        ? await findCommands(read.query ?? '', host)
        : await describeOffered(read.command ?? '', host);
    return result({ kind: 'value', data, durationMs: elapsed(), notices: [] });
  } catch (error) {
    return answer(
      { kind: 'fault', fault: toFault(error), durationMs: elapsed(), notices: [] },
      command,
      host,
    );
  }
}

async function runCall(
  call: CommandCall,
  caller: McpCaller,
  host: McpHost,
): Promise<ValueReply | FaultReply | InputRequiredResult> {
  const isAnswered = caller.answers !== undefined && call.effect === 'write';
  if (isAnswered && call.command !== 'agent run') return continueAsPerson(call, caller, host);
  const reply =
    (isAnswered ? await continueApproval(caller, host) : undefined) ??
    (await callCommand(call, caller, host));
  if (reply.kind !== 'fault') return reply;
  const question =
    (await askApproval(call, reply, caller, host)) ?? (await askPerson(call, reply, caller, host));
  return question ?? reply;
}

function toCall(name: string, read: ToolArguments): CommandCall {
  return {
    effect: name === 'call-read' ? 'read' : 'write',
    command: read.command ?? '',
    parameters: read.parameters,
    fields: read.fields,
    dryRun: read.dry_run,
    confirm: read.confirm,
    dangerous: read.dangerous,
    continueOnError: read.continue_on_error,
    requestId: read.request_id,
  };
}

/** Translates a reply, which is written for the command line, and returns it. */
async function answer(
  reply: ValueReply | FaultReply,
  path: string | undefined,
  host: McpHost,
): Promise<CallToolResult> {
  const isKnown = path !== undefined && host.table.has(path);
  const scope: TermsScope = { host, command: isKnown ? await host.table.load(path) : undefined };
  return result(
    reply.kind === 'fault'
      ? { ...reply, fault: await faultInMcpTerms(reply.fault, scope) }
      : { ...reply, data: await adviceInMcpTerms(reply.data, scope) },
  );
}

function result(reply: ValueReply | FaultReply): CallToolResult {
  const document: JsonObject = envelope(reply);
  return {
    content: [{ type: 'text', text: JSON.stringify(document) }],
    structuredContent: document,
    isError: reply.kind === 'fault',
  };
}
