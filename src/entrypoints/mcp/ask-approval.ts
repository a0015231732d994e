import { acceptedContent, inputRequired, type InputRequiredResult } from '@modelcontextprotocol/server';
import { isPlainObject } from '../../base/json.ts';
import { excerpt, printable } from '../../base/text.ts';
import type { FaultReply, ValueReply } from '../../contract/reply.ts';
import { callCommand, type CommandCall } from './call-command.ts';
import type { McpCaller, McpHost } from './mcp-host.ts';

const QUESTION = 'approval';
const MAX_ARGUMENTS = 2000;

/** The session that waits, the calls that a person is asked about, and the token that lets them run. */
interface AskedState {
  readonly session: string;
  readonly calls: readonly string[];
  readonly token: string;
}

/**
 * Asks the user of the client about tool calls of an agent that wait for a person. The token of the dry run is bound to the session and
 * the shown calls, so an approval covers exactly these. Returns undefined when nothing waits, or the client cannot ask.
 */
export async function askApproval(
  call: CommandCall,
  { fault }: FaultReply,
  caller: McpCaller,
  host: McpHost,
): Promise<InputRequiredResult | FaultReply | undefined> {
  const { session_id: session, approvals } = fault.details;
  const isWaiting = fault.code === 'E_HUMAN_REQUIRED' && call.command === 'agent run';
  if (!isWaiting || !caller.canAsk || typeof session !== 'string' || !Array.isArray(approvals))
    return undefined;
  // Questions of tool servers are not asked here: each has its own form, which the client gets in the answer.
  if ((approvals as { question?: object }[]).some(({ question }) => question !== undefined)) return undefined;
  const calls = (approvals as { call: string }[]).map(({ call: position }) => position);
  const preview = await callCommand(
    { ...continued(session, { approve: calls }), dryRun: true },
    caller,
    host,
  );
  if (preview.kind === 'fault') return preview;
  const state: AskedState = { session, calls, token: preview.data.confirm_token as string };
  return inputRequired({
    inputRequests: {
      [QUESTION]: inputRequired.elicit({
        message: renderQuestion(approvals as Approval[], caller),
        requestedSchema: {
          type: 'object',
          properties: {
            approve: { type: 'boolean', title: 'Let the agent make these calls', default: false },
          },
          required: ['approve'],
        },
      }),
    },
    requestState: JSON.stringify(state),
  });
}

/** Continues the session after the answer of the person; without their approval the calls are refused, and the model gets a refusal. */
export async function continueApproval(
  caller: McpCaller,
  host: McpHost,
): Promise<ValueReply | FaultReply | undefined> {
  const state = readState(caller.askedState);
  if (state === undefined || !caller.canAsk) return undefined;
  const { session, calls, token } = state;
  if (acceptedContent(caller.answers, QUESTION)?.approve === true)
    return callCommand({ ...continued(session, { approve: calls }), confirm: token }, caller, host);
  const denied = continued(session, { deny: calls });
  const preview = await callCommand({ ...denied, dryRun: true }, caller, host);
  if (preview.kind === 'fault') return preview;
  return callCommand({ ...denied, confirm: preview.data.confirm_token as string }, caller, host);
}

function continued(session: string, decision: Readonly<Record<string, readonly string[]>>): CommandCall {
  const parameters = { resume: session, ...decision };
  return { effect: 'write', command: 'agent run', parameters, asPerson: true };
}

function readState(text: string | undefined): AskedState | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isPlainObject(value) && typeof value.session === 'string' && Array.isArray(value.calls)
      ? (value as unknown as AskedState)
      : undefined;
  } catch {
    return undefined;
  }
}

interface Approval {
  readonly tool: string;
  readonly arguments: string;
}

/** The model chose the arguments, so they are shown without control characters and shortened. */
function renderQuestion(approvals: readonly Approval[], { client }: McpCaller): string {
  return [
    `An agent that ${client ?? 'a client'} started asks to call:`,
    ...approvals.map(({ tool, arguments: args }) => `- ${tool} ${excerpt(args, MAX_ARGUMENTS)}`),
  ]
    .map((line) => printable(line))
    .join('\n');
}
