import { isPlainObject } from '../../base/json.ts';
import { withAttachments, type ToolCall } from '../conversation.ts';
import type { LlmResponse } from '../llm-port.ts';
import { FINAL_REPORT } from '../report/report-formats.ts';
import type { ToolDefinition } from '../tool-host.ts';
import { parseObjectLeniently } from '../tools/parse-json-leniently.ts';
import { isTruncated } from './stop-reason.ts';
import type { ParsedResponse, SessionTransport } from './transport.ts';

/** Creates the transport that uses native tool calls for tools and the report. */
export function createNativeTransport(finalReport: ToolDefinition, toolsRequired: boolean): SessionTransport {
  return {
    offer: (tools, { finalOnly }) => ({
      tools: finalOnly ? [finalReport] : [...tools, finalReport],
      toolChoice: toolsRequired ? 'required' : 'auto',
      next: [],
    }),
    parse: (response) => {
      return { ...readNativeCalls(response), text: response.text, warnings: [] };
    },
    toMessage: nativeAssistantMessage,
    renderResult: ({ text }) => text,
    toResultMessages: nativeResultMessages,
    rejectReport: nativeRejection,
    slot: () => 1,
    createFilter: (show) => ({ push: (chunk) => show('text', chunk), end: () => {} }),
  };
}

/** The native calls of a response, separated into tool calls and reports. */
export type NativeCalls = Pick<ParsedResponse, 'calls' | 'reports' | 'truncatedReport'>;

/** Separates native calls into tool calls and reports. */
export function readNativeCalls({ toolCalls, stopReason }: LlmResponse): NativeCalls {
  const calls = toolCalls.filter(({ name }) => name !== FINAL_REPORT);
  const reports = toolCalls.filter(({ name }) => name === FINAL_REPORT);
  const last = reports.at(-1);
  // Repairing the arguments would turn half a report into a valid one, or let a tool act on half of them.
  const isCutOff = (call: ToolCall): boolean =>
    isTruncated(stopReason) && call === toolCalls.at(-1) && !isJson(call.arguments);
  if (calls.length === 0 && last !== undefined && isCutOff(last))
    return { calls: [], reports: [], truncatedReport: contentOf(last.arguments) };
  return {
    calls: calls.map((call) => ({
      ...call,
      source: 'native',
      ...(isCutOff(call) && { isCutOff: true }),
    })),
    reports: reports.map((call) => {
      const payload = parseObjectLeniently(call.arguments)?.value ?? call.arguments;
      const format = isPlainObject(payload) ? (payload['format'] ?? payload['report_format']) : undefined;
      return {
        source: 'native',
        callId: call.id,
        payload,
        ...(isCutOff(call) && { isCutOff: true }),
        ...(typeof format === 'string' && { format }),
      };
    }),
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the readable part of a report's arguments. */
function contentOf(args: string): string {
  const content = parseObjectLeniently(args)?.value['report_content'];
  return typeof content === 'string' ? content : args;
}

/** Returns one tool message per native call. */
export const nativeResultMessages: SessionTransport['toResultMessages'] = (results) =>
  results.map(({ call, text, images }) => ({
    role: 'tool',
    toolCallId: call.id,
    toolName: call.name,
    content: text,
    ...withAttachments(images),
  }));

/** Returns the tool message for a rejected report. */
export const nativeRejection: SessionTransport['rejectReport'] = ({ callId = '' }, reason) => ({
  role: 'tool',
  toolCallId: callId,
  toolName: FINAL_REPORT,
  content: `(tool failed: ${reason})`,
});

/** Converts a response to its conversation message. Unparsable arguments become empty, because providers accept only valid JSON. */
export const nativeAssistantMessage: SessionTransport['toMessage'] = (response) => ({
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
