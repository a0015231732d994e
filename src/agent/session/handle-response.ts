import type { AccountingEntry } from '../accounting-entry.ts';
import type { FinalReport } from '../agent-result.ts';
import type { LlmResponse } from '../llm-port.ts';
import { findBrokenGuard } from '../guards/check-report.ts';
import { acceptReport, type ReportVerdict } from '../report/accept-report.ts';
import type { ReportCandidate } from '../report/report-candidate.ts';
import { FINAL_REPORT } from '../report/report-formats.ts';
import { runCalls } from '../tools/run-calls.ts';
import { schemaChecks } from '../tools/schema-checks.ts';
import { isTruncated, isWithheld } from '../transport/stop-reason.ts';
import type { ParsedResponse } from '../transport/transport.ts';
import { forceFinal, type SessionScope } from './session-scope.ts';

export const PLAIN_TEXT_NOTICE =
  'System notice: plain text responses without tool calls are ignored. Use final_report to provide your answer.';
const TRUNCATED_NOTICE =
  'System notice: your final report was cut off at the output limit. Give it again, complete and shorter.';
const CUT_OFF = 'It was cut off at the output limit (stop reason: length).';
const CONTINUE_NOTICE = 'System notice: continue. Call a tool, or give your final report.';
const ONLY_REPORT_NOTICE = 'System notice: tools are no longer available. Give your final report now.';

/** The effect of a response on its turn. `retry` discards the response. */
export type ResponseOutcome =
  | { readonly kind: 'report'; readonly report: FinalReport }
  | { readonly kind: 'continue' }
  /** A person must decide on a tool call. */
  | { readonly kind: 'waiting' }
  | {
      readonly kind: 'retry';
      readonly notice: string;
      /** Why the response is unusable, for people; when absent, the notice says it. */
      readonly problem?: string;
    };

/** Processes a response: adds it to the conversation, runs its tools, and accepts or rejects its report. */
export async function handleResponse(
  scope: SessionScope,
  response: LlmResponse,
  finalOnly: boolean,
): Promise<ResponseOutcome> {
  const parsed = scope.transport.parse(response);
  for (const warning of parsed.warnings) scope.log('WRN', warning);
  const evaluated = evaluateReports(scope, parsed.reports);
  if (finalOnly) return handleFinalResponse(scope, response, parsed, evaluated);
  if (parsed.calls.length === 0 && parsed.reports.length === 0) {
    return handleResponseWithoutCalls(scope, response, parsed);
  }
  scope.conversation.push(scope.transport.toMessage(response, parsed.calls));
  if (parsed.calls.length > 0) {
    scope.conversation.push(...scope.transport.toResultMessages(await runCalls(scope, parsed.calls)));
    if (scope.state.approvals.length > 0) return { kind: 'waiting' };
  }
  if (evaluated.report !== undefined) return { kind: 'report', report: evaluated.report };
  for (const { candidate, reason } of evaluated.rejected) {
    const message = scope.transport.rejectReport(candidate, reason);
    scope.conversation.push(message);
    scope.contextGuard.append(scope.estimate.message(message));
  }
  if (evaluated.rejected.length > 0) forceFinal(scope, 'final_report_tool_failed');
  return { kind: 'continue' };
}

/** Processes a response of the final turn, which must be a report, in its format or as plain text. */
function handleFinalResponse(
  scope: SessionScope,
  response: LlmResponse,
  parsed: ParsedResponse,
  evaluated: EvaluatedReports,
): ResponseOutcome {
  const { report, rejected } = evaluated;
  if (report !== undefined) {
    scope.conversation.push(scope.transport.toMessage(response, parsed.calls));
    return { kind: 'report', report };
  }
  if (parsed.truncatedReport !== undefined) return retryTruncated(scope, parsed.truncatedReport);
  const last = rejected.at(-1);
  if (last !== undefined) {
    return { kind: 'retry', notice: rejectionNotice(last.reason) };
  }
  if (parsed.calls.length > 0) {
    keepText(scope, parsed.text);
    return { kind: 'retry', notice: ONLY_REPORT_NOTICE };
  }
  const fallback = acceptText(scope, parsed.text, response.stopReason);
  if (typeof fallback === 'string') {
    recordRejected(scope, { source: 'text', payload: parsed.text }, fallback);
    return { kind: 'retry', notice: rejectionNotice(fallback) };
  }
  if (fallback === undefined) return retryPlainText(scope, parsed.text, response);
  scope.conversation.push(scope.transport.toMessage(response, []));
  return { kind: 'report', report: fallback };
}

function rejectionNotice(reason: string): string {
  return `System notice: the final report was rejected: ${reason}. Give it again.`;
}

function handleResponseWithoutCalls(
  scope: SessionScope,
  response: LlmResponse,
  parsed: ParsedResponse,
): ResponseOutcome {
  if (parsed.truncatedReport !== undefined) return retryTruncated(scope, parsed.truncatedReport);
  if (response.text.trim() === '' && response.reasoning.trim() !== '') {
    scope.conversation.push(scope.transport.toMessage(response, []));
    scope.state.notice = isTruncated(response.stopReason)
      ? `${CONTINUE_NOTICE} Reason less: your last response was cut off at the output limit.`
      : CONTINUE_NOTICE;
    return { kind: 'continue' };
  }
  return retryPlainText(scope, parsed.text, response);
}

/** Discards a response without calls and reports. Its `text` is what is left without incomplete tags. */
function retryPlainText(
  scope: SessionScope,
  text: string,
  { text: whole, toolCalls, stopReason }: LlmResponse,
): ResponseOutcome {
  const isEmpty = whole.trim() === '' && toolCalls.length === 0;
  if (isTruncated(stopReason) && !isEmpty) {
    scope.log('WRN', `The response is plain text. ${CUT_OFF}`);
    if (text.trim() !== '') keepText(scope, markCutOff(text));
    return { kind: 'retry', notice: `${PLAIN_TEXT_NOTICE} ${CUT_OFF}` };
  }
  keepText(scope, text);
  const retry = { kind: 'retry', notice: PLAIN_TEXT_NOTICE } as const;
  if (isWithheld(stopReason)) return { ...retry, problem: describeWithheld(stopReason) };
  return isEmpty
    ? { ...retry, problem: `The response was empty (stop reason: ${stopReason ?? 'none'}).` }
    : retry;
}

function describeWithheld(stopReason: string | undefined): string {
  return `A filter of the provider stopped the response (stop reason: ${stopReason}).`;
}

function markCutOff(text: string): string {
  return `${text.trim()}\n[${CUT_OFF}]`;
}

function retryTruncated(scope: SessionScope, partial: string): ResponseOutcome {
  scope.log('WRN', `The final report is incomplete. ${CUT_OFF}`);
  if (partial.trim() !== '') keepText(scope, markCutOff(partial));
  return { kind: 'retry', notice: TRUNCATED_NOTICE };
}

function keepText(scope: SessionScope, text: string): void {
  if (text.trim() !== '') scope.state.lastText = text.trim();
}

interface EvaluatedReports {
  readonly report: FinalReport | undefined;
  readonly rejected: readonly { readonly candidate: ReportCandidate; readonly reason: string }[];
}

/** Returns the last valid report. Invalid ones are reported only when none is valid. */
function evaluateReports(scope: SessionScope, candidates: readonly ReportCandidate[]): EvaluatedReports {
  const rejected: { candidate: ReportCandidate; reason: string }[] = [];
  for (const candidate of candidates.toReversed()) {
    const verdict = judgeReport(scope, candidate);
    if (verdict.ok) {
      recordAccepted(scope, candidate, verdict.repairs);
      return { report: verdict.report, rejected: [] };
    }
    rejected.unshift({ candidate, reason: verdict.reason });
  }
  for (const { candidate, reason } of rejected) recordRejected(scope, candidate, reason);
  return { report: undefined, rejected };
}

/** Accepts plain text as the report; returns the reason as text when a guard rejects it. */
function acceptText(
  scope: SessionScope,
  text: string,
  stopReason: string | undefined,
): FinalReport | string | undefined {
  if (text.trim() === '') return undefined;
  const verdict = acceptReport({ source: 'text', payload: text }, reportRules(scope));
  if (!verdict.ok) return undefined;
  const broken = findBrokenGuard(scope.config.guards ?? [], verdict.report);
  if (broken !== undefined) return broken;
  scope.log('WRN', 'The final turn returned plain text; using it as the report.');
  if (!isTruncated(stopReason) && !isWithheld(stopReason)) return verdict.report;
  const cause = isTruncated(stopReason) ? CUT_OFF : describeWithheld(stopReason);
  scope.log('WRN', `The report is incomplete. ${cause}`);
  return { ...verdict.report, metadata: { ...verdict.report.metadata, truncated: true } };
}

/** Validates a report and compares it with the guards. */
function judgeReport(scope: SessionScope, candidate: ReportCandidate): ReportVerdict {
  const verdict = acceptReport(candidate, reportRules(scope));
  const broken = verdict.ok ? findBrokenGuard(scope.config.guards ?? [], verdict.report) : undefined;
  return broken === undefined ? verdict : { ok: false, reason: broken };
}

function reportRules({ config, ports }: SessionScope): Parameters<typeof acceptReport>[1] {
  const { format, schema } = config.output;
  return {
    format,
    check: schema === undefined ? undefined : schemaChecks.compile(schema),
    now: ports.clock.now,
  };
}

function recordAccepted(scope: SessionScope, candidate: ReportCandidate, repairs: readonly string[]): void {
  const { format } = scope.config.output;
  if (candidate.format !== undefined && candidate.format !== format) {
    scope.log('WRN', `The report has format ${candidate.format}; it is stored as ${format}.`);
  }
  if (repairs.length > 0) scope.log('WRN', 'The final report was repaired.', { steps: repairs });
  accountReport(scope, candidate, undefined);
}

function recordRejected(scope: SessionScope, candidate: ReportCandidate, reason: string): void {
  const payload =
    typeof candidate.payload === 'string' ? candidate.payload : JSON.stringify(candidate.payload);
  scope.log('ERR', `The final report was rejected: ${reason}.`, { payload });
  accountReport(scope, candidate, reason);
}

function accountReport(scope: SessionScope, candidate: ReportCandidate, error: string | undefined): void {
  scope.state.reportAttempts += 1;
  const { payload, source } = candidate;
  const entry: AccountingEntry = {
    type: 'tool',
    mcpServer: 'agent',
    command: source === 'xml' ? `${FINAL_REPORT}_xml` : FINAL_REPORT,
    status: error === undefined ? 'ok' : 'failed',
    latency: 0,
    timestamp: scope.ports.clock.now(),
    charactersIn: (typeof payload === 'string' ? payload : JSON.stringify(payload)).length,
    charactersOut: 0,
    ...(source === 'xml' && { source }),
    ...(error !== undefined && { error }),
    ...scope.ids,
  };
  scope.ledger.add(entry);
  scope.recorder.note(entry);
}
