import { errorMessage } from '../../base/error-message.ts';
import type { JsonObject } from '../../base/json.ts';
import type { AvailableTool, SessionScope } from '../session/session-scope.ts';
import type { CallResult, RequestedCall } from '../transport/transport.ts';
import { rejectCall } from '../tools/execute-call.ts';
import type { ApprovalDecision, ApprovalRequest } from './approval-request.ts';
import { canWait } from './can-wait.ts';
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
  const { approval = [], callerApproval = [] } = scope.config;
  const { decision, rule } = decideCall([...approval, ...callerApproval], call.name, args);
  if (decision === 'allow' || rule === undefined) return undefined;
  if (decision === 'deny') return rejectCall(call, 'denied', `denied by the rule for ${rule.tool}`);
  const { position = '' } = call;
  const given = givenDecision(scope, position);
  const { description, origin } = tool.definition;
  const request: ApprovalRequest = {
    call: position,
    tool: call.name,
    server: origin.server,
    arguments: JSON.stringify(args),
    description,
    rule,
  };
  const chosen = given ?? (await scope.ports.approve?.(request, scope.abortSignal).catch(denyOnError));
  if (chosen === 'allow') return undefined;
  if (chosen !== undefined)
    return rejectCall(call, 'denied', chosen === 'deny' ? 'a person denied this call' : chosen.deny);
  if (!canWait(scope))
    return rejectCall(call, 'denied', 'this call needs the approval of a person, who cannot be asked here');
  scope.state.approvals.push(request);
  return rejectCall(call, 'denied', 'waiting for the approval of a person');
}

function givenDecision(
  { ports, recorder, state }: SessionScope,
  position: string,
): ApprovalDecision | undefined {
  const { approvals } = ports;
  if (approvals === undefined || !recorder.isRecordedResponse) return undefined;
  // A call that asked a question was approved before it ran.
  if (state.answers.some(({ call }) => call === position)) return 'allow';
  const includes = (calls: readonly string[]): boolean => calls.includes('all') || calls.includes(position);
  if (includes(approvals.deny)) return 'deny';
  return includes(approvals.approve) ? 'allow' : undefined;
}

function denyOnError(error: unknown): ApprovalDecision {
  return { deny: `no person could be asked: ${errorMessage(error)}` };
}
