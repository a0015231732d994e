import { omit } from '../../base/omit.ts';
import type { JsonObject } from '../../base/json.ts';
import type { AccountingEntry, ToolAccountingEntry } from '../accounting-entry.ts';
import type { Projection, Reservation } from '../context/context-guard.ts';
import { attachmentTokens } from '../attachments/attachment-kinds.ts';
import type { Attachment } from '../conversation.ts';
import type { ToolOutcome } from '../tool-host.ts';
import { MESSAGE_TOKENS } from '../context/token-estimate.ts';
import type { RecordedResult } from '../session-record.ts';
import { forceFinal, type AvailableTool, type SessionScope } from '../session/session-scope.ts';
import type { SessionState } from '../session/session-state.ts';
import type { CallFailureCode, CallResult, RequestedCall } from '../transport/transport.ts';
import { invokeTool, type Execution, type ToolInvocation } from './invoke-tool.ts';
import { hasFurtherObject } from './parse-json-leniently.ts';
import { truncateResponse } from './truncate-response.ts';

/** A validated call that is ready to run. */
export interface ReadyCall {
  readonly call: RequestedCall;
  readonly tool: AvailableTool;
  readonly args: JsonObject;
  readonly reservation: Reservation;
}

/** Renders a result as it appears in the conversation; inside a batch, as JSON. */
export type RenderResult = (result: CallResult) => string;

const IGNORED_OBJECTS =
  'The arguments contained several JSON objects: only the first was used. Send one call per object.';
const BUDGET_REASON = 'context window budget exceeded';

/** Executes one call: invokes the tool, truncates its response, fits it into the context and records accounting. Never throws. */
export async function executeCall(
  scope: SessionScope,
  ready: ReadyCall,
  render: RenderResult,
): Promise<CallResult> {
  const { call, tool, args } = ready;
  return invokeTool(scope, tool, args, call, (invocation) => completeCall(scope, ready, render, invocation));
}

function completeCall(
  scope: SessionScope,
  { call, tool, args, reservation }: ReadyCall,
  render: RenderResult,
  { outcome, code, execution }: ToolInvocation,
): CallResult {
  scope.ledger.merge(outcome.accounting ?? []);
  if (isWaiting(scope.state, call) && execution !== undefined)
    return suspendCall(scope, { call, tool, args }, execution);
  const response = renderOutcome(outcome, call);
  // A lone surrogate would make providers reject the whole conversation.
  const text = fitResponse(scope, tool, response.toWellFormed());
  const latencyMs = execution?.latencyMs ?? 0;
  const images = acceptedImages(scope, outcome);
  const whole: CallResult = {
    call,
    ok: outcome.ok,
    text,
    ...(images.length > 0 && { images }),
    latencyMs,
    ...(code !== undefined && { code }),
  };
  const { result, dropped } = commitResult(scope, whole, reservation, render);
  const error = dropped === undefined ? (outcome.ok ? undefined : outcome.reason) : BUDGET_REASON;
  if (execution === undefined) return result;
  const entry: AccountingEntry = {
    ...accountCall(scope, { call, tool, args }, execution),
    status: result.ok ? 'ok' : 'failed',
    charactersOut: result.text.length,
    ...(error !== undefined && { error }),
    ...dropped,
  };
  scope.ledger.add(entry);
  scope.recorder.callFinished(call, toRecord(result, dropped !== undefined), entry);
  scope.emit({
    type: 'tool.finished',
    tool: call.name,
    callId: call.id,
    ok: result.ok,
    latencyMs,
    bytes: Buffer.byteLength(result.text),
    error,
    result: result.text,
  });
  return result;
}

/** Tells the model if a repair of its arguments left out a part that it regards as done. */
function renderOutcome(outcome: ToolOutcome, call: RequestedCall): string {
  const note = hasFurtherObject(call.arguments) ? IGNORED_OBJECTS : undefined;
  if (outcome.ok) return note === undefined ? outcome.text : `[${note}]\n${outcome.text}`;
  return `(tool failed: ${outcome.reason}${note === undefined ? '' : `; ${note}`})`;
}

/** The response of a call that asked a question is not kept: with the answer of a person the call is run again. */
function suspendCall(
  scope: SessionScope,
  ran: Omit<ReadyCall, 'reservation'>,
  execution: Execution,
): CallResult {
  const result = rejectCall(ran.call, 'denied', 'waiting for the answer of a person');
  const entry: AccountingEntry = {
    ...accountCall(scope, ran, execution),
    status: 'failed',
    charactersOut: 0,
    error: 'waiting for the answer of a person',
  };
  scope.ledger.add(entry);
  scope.recorder.callWaits(entry);
  return result;
}

function accountCall(
  scope: SessionScope,
  { call, tool, args }: Omit<ReadyCall, 'reservation'>,
  { latencyMs, startedAt }: Execution,
): Omit<ToolAccountingEntry, 'status' | 'charactersOut'> {
  return {
    type: 'tool',
    mcpServer: tool.definition.origin.server,
    command: call.name,
    latency: latencyMs,
    timestamp: startedAt,
    charactersIn: JSON.stringify(args).length,
    ...(call.source === 'xml' && { source: 'xml' }),
    ...scope.ids,
  };
}

/** Images that no model of the session accepts are not kept. */
function acceptedImages({ config }: SessionScope, outcome: ToolOutcome): readonly Attachment[] {
  if (!outcome.ok || outcome.images === undefined) return [];
  return config.targets.some(({ accepts = [] }) => accepts.includes('image')) ? outcome.images : [];
}

function toRecord(completed: CallResult, isDropped: boolean): RecordedResult {
  return { ...omit(completed, 'call'), ...(isDropped && { dropped: true }) };
}

/** Returns the result of a call that was not run. */
export function rejectCall(call: RequestedCall, code: CallFailureCode, reason: string): CallResult {
  return { call, ok: false, text: `(tool failed: ${reason})`, latencyMs: 0, code };
}

/** Emits the end of a call that was not run. It has no accounting entry, because nothing was executed. */
export function reportRefusal({ emit, state }: SessionScope, { call, text, code }: CallResult): void {
  // A call that waits for a person is not decided yet.
  if (isWaiting(state, call)) return;
  emit({
    type: 'tool.finished',
    tool: call.name,
    callId: call.id,
    ok: false,
    latencyMs: 0,
    bytes: Buffer.byteLength(text),
    error: text.replace(/^\(tool failed: (.*)\)$/su, '$1'),
    refused: code ?? 'failed',
    result: text,
  });
}

function isWaiting({ approvals }: SessionState, { position }: RequestedCall): boolean {
  return approvals.some(({ call }) => call === position);
}

/** Returns the result that replaces a response that does not fit into the context. */
export function budgetStub(call: RequestedCall, latencyMs = 0): CallResult {
  return { ...rejectCall(call, 'budget', BUDGET_REASON), latencyMs };
}

/** Estimates the tokens of a result message. */
export function resultTokens(scope: SessionScope, text: string): number {
  return scope.estimate.text(text) + MESSAGE_TOKENS;
}

function fitResponse(scope: SessionScope, tool: AvailableTool, response: string): string {
  const { name, responseMaxBytes } = tool.definition;
  const limit = responseMaxBytes ?? scope.config.limits.toolResponseMaxBytes;
  const { text, originalBytes, truncated } = truncateResponse(response, limit);
  if (!truncated) return response;
  scope.log('WRN', `The response of ${name} was truncated.`, {
    tool: name,
    actualBytes: originalBytes,
    limitBytes: limit,
    ...(scope.config.traceTools && { response }),
  });
  return text;
}

/** Commits a result to the context, or its stub if it does not fit. */
export function commitResult(
  scope: SessionScope,
  result: CallResult,
  reservation: Reservation,
  render: RenderResult,
): { result: CallResult; dropped?: { droppedTokens: number; replacementTokens: number } } {
  const tokens = resultTokens(scope, render(result)) + attachmentTokens(result.images);
  const projection = reservation.commit(tokens);
  if (projection.fits) return { result };
  const stub = budgetStub(result.call, result.latencyMs);
  const replacementTokens = resultTokens(scope, render(stub));
  scope.state.toolBudgetExceeded = true;
  reportOverflow(scope, result.call.name, tokens, projection);
  return { result: stub, dropped: { droppedTokens: tokens, replacementTokens } };
}

function reportOverflow(scope: SessionScope, tool: string, tokens: number, projection: Projection): void {
  const { provider, model, projectedTokens, limitTokens } = projection;
  const remaining = limitTokens - (projectedTokens - tokens);
  scope.log('WRN', `The response of ${tool} was dropped: it does not fit into the context window.`, {
    guard: 'tool_preflight',
    tool,
    projected_tokens: projectedTokens,
    limit_tokens: limitTokens,
    ...(remaining > 0 && { remaining_tokens: remaining }),
  });
  forceFinal(scope, 'context', { guard: 'tool_preflight', blocked: [{ provider, model }] });
}
