import type { FinalReport } from '../agent-result.ts';
import type { LlmResponse } from '../llm-port.ts';
import { acceptReport } from '../report/accept-report.ts';
import type { ReportCandidate } from '../report/report-candidate.ts';
import { FINAL_REPORT } from '../report/report-formats.ts';
import { runCalls } from '../tools/run-calls.ts';
import { schemaChecks } from '../tools/schema-checks.ts';
import type { Reading } from '../transport/transport.ts';
import { forceFinal, type SessionScope } from './session-scope.ts';

export const PLAIN_TEXT_NOTICE =
  'System notice: plain text responses without tool calls are ignored. Use final_report to provide your answer.';
const CUT_OFF_NOTICE =
  'System notice: your final report was cut off at the output limit. Give it again, complete and shorter.';
const GO_ON_NOTICE = 'System notice: go on. Call a tool, or give your final report.';
const ONLY_REPORT_NOTICE = 'System notice: no tool can be called any more. Give your final report now.';

/** What an answer means for its turn. `retry` leaves no trace in the conversation. */
export type AnswerStep =
  | { readonly kind: 'report'; readonly report: FinalReport }
  | { readonly kind: 'continue' }
  | { readonly kind: 'retry'; readonly notice: string };

/** Takes in an answer: keeps it, runs its tools, accepts or rejects its report. */
export async function takeAnswer(
  scope: SessionScope,
  response: LlmResponse,
  finalOnly: boolean,
): Promise<AnswerStep> {
  const reading = scope.transport.read(response);
  for (const warning of reading.warnings) scope.log('WRN', warning);
  const judged = judgeReports(scope, reading.reports);
  if (finalOnly) return takeFinalAnswer(scope, response, reading, judged);
  if (reading.calls.length === 0 && reading.reports.length === 0) {
    return takeAnswerWithoutCalls(scope, response, reading);
  }
  scope.conversation.push(scope.transport.keep(response, reading.calls));
  if (reading.calls.length > 0) {
    scope.conversation.push(...scope.transport.answer(await runCalls(scope, reading.calls)));
  }
  if (judged.report !== undefined) return { kind: 'report', report: judged.report };
  for (const { candidate, reason } of judged.rejected) {
    const message = scope.transport.rejectReport(candidate, reason);
    scope.conversation.push(message);
    scope.guard.append(scope.estimate.message(message));
  }
  if (judged.rejected.length > 0) forceFinal(scope, 'final_report_tool_failed');
  return { kind: 'continue' };
}

/** On the final turn only a report counts: as it should be given, or as plain text. */
function takeFinalAnswer(
  scope: SessionScope,
  response: LlmResponse,
  reading: Reading,
  judged: JudgedReports,
): AnswerStep {
  const { report, rejected } = judged;
  if (report !== undefined) {
    scope.conversation.push(scope.transport.keep(response, reading.calls));
    return { kind: 'report', report };
  }
  if (reading.cutOff !== undefined) return retryCutOff(scope, reading.cutOff);
  const last = rejected.at(-1);
  if (last !== undefined) {
    return {
      kind: 'retry',
      notice: `System notice: the final report was rejected: ${last.reason}. Give it again.`,
    };
  }
  if (reading.calls.length > 0) {
    rememberText(scope, reading.text);
    return { kind: 'retry', notice: ONLY_REPORT_NOTICE };
  }
  const fallback = acceptText(scope, reading.text);
  if (fallback === undefined) {
    rememberText(scope, reading.text);
    return { kind: 'retry', notice: PLAIN_TEXT_NOTICE };
  }
  scope.conversation.push(scope.transport.keep(response, []));
  return { kind: 'report', report: fallback };
}

function takeAnswerWithoutCalls(scope: SessionScope, response: LlmResponse, reading: Reading): AnswerStep {
  if (reading.cutOff !== undefined) return retryCutOff(scope, reading.cutOff);
  if (response.text.trim() === '' && response.reasoning.trim() !== '') {
    scope.conversation.push(scope.transport.keep(response, []));
    scope.state.notice = GO_ON_NOTICE;
    return { kind: 'continue' };
  }
  rememberText(scope, reading.text);
  return { kind: 'retry', notice: PLAIN_TEXT_NOTICE };
}

function retryCutOff(scope: SessionScope, partial: string): AnswerStep {
  rememberText(scope, partial);
  return { kind: 'retry', notice: CUT_OFF_NOTICE };
}

function rememberText(scope: SessionScope, text: string): void {
  if (text.trim() !== '') scope.state.gatheredText = text.trim();
}

interface JudgedReports {
  readonly report: FinalReport | undefined;
  readonly rejected: readonly { readonly candidate: ReportCandidate; readonly reason: string }[];
}

/** The last valid report wins; those after it and before it that are not valid are told of only when none is. */
function judgeReports(scope: SessionScope, candidates: readonly ReportCandidate[]): JudgedReports {
  const rejected: { candidate: ReportCandidate; reason: string }[] = [];
  for (const candidate of candidates.toReversed()) {
    const verdict = acceptReport(candidate, reportRules(scope));
    if (verdict.ok) {
      noteAccepted(scope, candidate, verdict.repairs);
      return { report: verdict.report, rejected: [] };
    }
    rejected.unshift({ candidate, reason: verdict.reason });
  }
  for (const { candidate, reason } of rejected) noteRejected(scope, candidate, reason);
  return { report: undefined, rejected };
}

function acceptText(scope: SessionScope, text: string): FinalReport | undefined {
  if (text.trim() === '') return undefined;
  const verdict = acceptReport({ source: 'text', payload: text }, reportRules(scope));
  if (!verdict.ok) return undefined;
  scope.log('WRN', 'The final turn gave plain text; it is taken as the report.');
  return verdict.report;
}

function reportRules({ config, ports }: SessionScope): Parameters<typeof acceptReport>[1] {
  const { format, schema } = config.output;
  return {
    format,
    check: schema === undefined ? undefined : schemaChecks.compile(schema),
    now: ports.clock.now,
  };
}

function noteAccepted(scope: SessionScope, candidate: ReportCandidate, repairs: readonly string[]): void {
  const { format } = scope.config.output;
  if (candidate.format !== undefined && candidate.format !== format) {
    scope.log('WRN', `The report claims the format ${candidate.format}; it is kept as ${format}.`);
  }
  if (repairs.length > 0) scope.log('WRN', 'The final report was repaired.', { steps: repairs });
  accountReport(scope, candidate, undefined);
}

function noteRejected(scope: SessionScope, candidate: ReportCandidate, reason: string): void {
  const payload =
    typeof candidate.payload === 'string' ? candidate.payload : JSON.stringify(candidate.payload);
  scope.log('ERR', `The final report was rejected: ${reason}.`, { payload });
  accountReport(scope, candidate, reason);
}

function accountReport(scope: SessionScope, candidate: ReportCandidate, error: string | undefined): void {
  scope.state.reportAttempts += 1;
  const { payload, source } = candidate;
  scope.ledger.add({
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
  });
}
