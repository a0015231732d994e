import { acceptedContent, inputRequired, type InputRequiredResult } from '@modelcontextprotocol/server';
import { Fault } from '../../base/fault.ts';
import type { JsonObject } from '../../base/json.ts';
import { excerpt, printable } from '../../base/text.ts';
import type { FaultReply, ValueReply } from '../../contract/reply.ts';
import { callCommand, type CommandCall } from './call-command.ts';
import type { McpCaller, McpHost } from './mcp-host.ts';

const QUESTION = 'decision';
const MAX_SHOWN_CHANGES = 20;

/**
 * Runs a call that a person has to make: the client shows its user the changes, and after their approval the call runs as theirs.
 * The token of the dry run that produced the question is what the client sends back, so exactly the shown changes are made, once.
 * Returns undefined when the call is not such a call, or the client cannot ask.
 */
export async function askPerson(
  call: CommandCall,
  { fault }: FaultReply,
  caller: McpCaller,
  host: McpHost,
): Promise<InputRequiredResult | FaultReply | undefined> {
  const canDecide = caller.canAsk && call.dryRun !== true && call.confirm === undefined;
  if (fault.code !== 'E_HUMAN_REQUIRED' || !canDecide || !host.offer.decisions.has(call.command))
    return undefined;
  const asked = withNote(call, caller);
  const preview = await callCommand({ ...asked, dryRun: true, asPerson: true }, caller, host);
  if (preview.kind === 'fault') return preview;
  return inputRequired({
    inputRequests: {
      [QUESTION]: inputRequired.elicit({
        message: renderQuestion(asked, preview.data, caller),
        requestedSchema: {
          type: 'object',
          properties: { approve: { type: 'boolean', title: 'Run it as me', default: false } },
          required: ['approve'],
        },
      }),
    },
    requestState: preview.data.confirm_token as string,
  });
}

/** Runs the call after the answer of the person; throws a fault when they did not approve. */
export async function continueAsPerson(
  call: CommandCall,
  caller: McpCaller,
  host: McpHost,
): Promise<ValueReply | FaultReply> {
  const isApproved = acceptedContent(caller.answers, QUESTION)?.approve === true;
  const wasAsked = caller.canAsk && caller.askedState !== undefined && host.offer.decisions.has(call.command);
  if (isApproved && wasAsked)
    return callCommand(
      { ...withNote(call, caller), confirm: caller.askedState, asPerson: true },
      caller,
      host,
    );
  throw new Fault('E_HUMAN_REQUIRED', `The person did not approve "${call.command}".`, {
    hint: 'Nothing was changed. Ask them what to do instead.',
    details: { approved: false },
    unchanged: true,
  });
}

/** A decision on a run records in its receipt how it was made. */
function withNote(call: CommandCall, { client }: McpCaller): CommandCall {
  if (!call.command.startsWith('work ') || call.parameters?.note !== undefined) return call;
  const note = `Answered in the MCP client ${printable(excerpt(client ?? 'mcp', 64))}`;
  return { ...call, parameters: { ...call.parameters, note } };
}

/** The model chose the parameters, so they are shown without control characters and shortened. */
function renderQuestion(call: CommandCall, data: JsonObject, { client }: McpCaller): string {
  const { changes = [] } = data.preview as { changes?: { action: string; resource: string; id: string }[] };
  const shown = changes
    .slice(0, MAX_SHOWN_CHANGES)
    .map(({ action, resource, id }) => `- ${action} ${resource} ${id}`);
  const hidden = changes.length - shown.length;
  return [
    `${client ?? 'An agent'} asks to run "${call.command}" as you.`,
    `Parameters: ${excerpt(JSON.stringify(call.parameters ?? {}), 1000)}`,
    `Changes: ${changes.length}`,
    ...shown,
    ...(hidden > 0 ? [`- and ${hidden} more`] : []),
  ]
    .map((line) => printable(line))
    .join('\n');
}
