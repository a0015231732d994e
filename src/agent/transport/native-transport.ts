import { isPlainObject } from '../../base/json.ts';
import type { LlmResponse } from '../llm-port.ts';
import type { ReportCandidate } from '../report/report-candidate.ts';
import { FINAL_REPORT } from '../report/report-formats.ts';
import type { ToolDefinition } from '../tool-host.ts';
import { parseObjectLeniently } from '../tools/parse-json-leniently.ts';
import type { RequestedCall, SessionTransport } from './transport.ts';

/** Tools and the report are tool calls of the provider's own kind. */
export function createNativeTransport(finalReport: ToolDefinition, toolsRequired: boolean): SessionTransport {
  return {
    offer: (tools, finalOnly) => ({
      tools: finalOnly ? [finalReport] : [...tools, finalReport],
      toolChoice: toolsRequired ? 'required' : 'auto',
      next: [],
    }),
    read: (response) => {
      const { calls, reports } = readNativeCalls(response);
      return { calls, reports, text: response.text, warnings: [] };
    },
    keep: keepNative,
    renderResult: ({ text }) => text,
    answer: answerNative,
    rejectReport: rejectNative,
    createFilter: (show) => ({ push: (chunk) => show('text', chunk), end: () => {} }),
  };
}

/** Sorts native calls into tools and reports. */
export function readNativeCalls(response: LlmResponse): {
  calls: readonly RequestedCall[];
  reports: readonly ReportCandidate[];
} {
  const calls = response.toolCalls.filter(({ name }) => name !== FINAL_REPORT);
  const reports = response.toolCalls.filter(({ name }) => name === FINAL_REPORT);
  return {
    calls: calls.map((call) => ({ ...call, source: 'native' })),
    reports: reports.map((call) => {
      const payload = parseObjectLeniently(call.arguments)?.value ?? call.arguments;
      const format = isPlainObject(payload) ? (payload['format'] ?? payload['report_format']) : undefined;
      return {
        source: 'native',
        callId: call.id,
        payload,
        ...(typeof format === 'string' && { format }),
      };
    }),
  };
}

/** Every native call is answered by a message of its own. */
export const answerNative: SessionTransport['answer'] = (results) =>
  results.map(({ call, text }) => ({
    role: 'tool',
    toolCallId: call.id,
    toolName: call.name,
    content: text,
  }));

export const rejectNative: SessionTransport['rejectReport'] = ({ callId = '' }, reason) => ({
  role: 'tool',
  toolCallId: callId,
  toolName: FINAL_REPORT,
  content: `(tool failed: ${reason})`,
});

/** A conversation goes back to providers, which take only sound arguments: those that could not be read become empty. */
export const keepNative: SessionTransport['keep'] = (response) => ({
  role: 'assistant',
  content: response.text,
  ...(response.reasoning !== '' && { reasoning: response.reasoning }),
  ...(response.toolCalls.length > 0 && {
    toolCalls: response.toolCalls.map((call) => ({
      ...call,
      arguments: JSON.stringify(parseObjectLeniently(call.arguments)?.value ?? {}),
    })),
  }),
  ...(response.state !== undefined && { state: response.state }),
});
