import { errorMessage } from '../../base/error-message.ts';
import type { JsonObject } from '../../base/json.ts';
import type { AvailableTool, SessionScope } from '../session/session-scope.ts';
import type { CallResult, RequestedCall } from '../transport/transport.ts';
import { rejectCall } from '../tools/execute-call.ts';
import type { ApprovalAnswer, ApprovalRequest } from './approval-request.ts';
import { decideCall } from './decide-call.ts';

/**
 * Decides whether a call may run: by the rules, by a decision given with `--approve` or `--deny`, or by the calling program. Returns undefined
 * for a call that may run. A call without a decision is kept for the end of the turn, and the session then waits.
 */
export async function approveCall(
  scope: SessionScope,
  call: RequestedCall,
  tool: AvailableTool,
  args: JsonObject,
): Promise<CallResult | undefined> {
  const { decision, rule } = decideCall(scope.config.approval ?? [], call.name, args);
  if (decision === 'allow' || rule === undefined) return undefined;
  if (decision === 'deny') return rejectCall(call, 'denied', `denied by the rule for ${rule.tool}`);
  const { position = '' } = call;
  const given = givenAnswer(scope, position);
  const { description, origin } = tool.definition;
  const request: ApprovalRequest = {
    call: position,
    tool: call.name,
    server: origin.server,
    arguments: JSON.stringify(args),
    description,
    rule,
  };
  const answer = given ?? (await scope.ports.approve?.(request, scope.abortSignal).catch(explainFailure));
  if (answer === 'allow') return undefined;
  if (answer !== undefined)
    return rejectCall(call, 'denied', answer === 'deny' ? 'a person denied this call' : answer.deny);
  if (!canWait(scope))
    return rejectCall(call, 'denied', 'this call needs the approval of a person, who cannot be asked here');
  scope.state.approvals.push(request);
  return rejectCall(call, 'denied', 'waiting for the approval of a person');
}

function givenAnswer({ ports, recorder }: SessionScope, position: string): ApprovalAnswer | undefined {
  const { approvals } = ports;
  if (approvals === undefined || !recorder.isRecordedAnswer) return undefined;
  const includes = (calls: readonly string[]): boolean => calls.includes('all') || calls.includes(position);
  if (includes(approvals.deny)) return 'deny';
  return includes(approvals.approve) ? 'allow' : undefined;
}

/** Only a stored session can wait, and a sub-agent is a step of its caller. */
function canWait({ ports, ids }: SessionScope): boolean {
  return ports.journal !== undefined && ids.parentTxnId === undefined;
}

function explainFailure(error: unknown): ApprovalAnswer {
  return { deny: `no person could be asked: ${errorMessage(error)}` };
}
