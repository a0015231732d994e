import { excerpt } from '../../base/text.ts';
import { withAttachments } from '../conversation.ts';
import type { LlmResponse } from '../llm-port.ts';
import type { ReportCandidate } from '../report/report-candidate.ts';
import { FINAL_REPORT } from '../report/report-formats.ts';
import type { ToolDefinition } from '../tool-host.ts';
import { PROGRESS_REPORT } from '../tools/internal-host.ts';
import {
  nativeResultMessages,
  nativeAssistantMessage,
  readNativeCalls,
  nativeRejection,
  type NativeCalls,
} from './native-transport.ts';
import { parseTags, type Tag } from './parse-tags.ts';
import { renderXmlNext, type FinalSlot } from './render-xml-next.ts';
import { isComplete, isTruncated } from './stop-reason.ts';
import { createStreamFilter } from './stream-filter.ts';
import type { CallResult, ParsedResponse, RequestedCall, SessionTransport } from './transport.ts';
import type { XmlSlots } from './xml-slots.ts';

export interface XmlOptions {
  /** `xml-final`: tools are native, only the report is a tag. */
  readonly mode: 'xml' | 'xml-final';
  /** The report as a native tool: declared where the conversation has tool calls, but no tool is available. */
  readonly finalReport: ToolDefinition;
  readonly slots: XmlSlots;
  readonly final: FinalSlot;
  readonly maxToolCallsPerTurn: number;
}

/** Creates the transport that uses XML tags for the report and, in `xml` mode, for every tool call. */
export function createXmlTransport({
  mode,
  finalReport,
  slots,
  final,
  maxToolCallsPerTurn,
}: XmlOptions): SessionTransport {
  const withTools = mode === 'xml';
  return {
    offer: (tools, { finalOnly, hasToolCalls, serverInstructions }) => {
      const slotIds = withTools && !finalOnly ? slots.offer(maxToolCallsPerTurn) : [];
      const text = renderXmlNext({
        nonce: slots.nonce,
        tools: finalOnly ? [] : tools,
        slotIds,
        final,
        finalOnly,
        serverInstructions,
      });
      const native = withTools || finalOnly ? [] : tools;
      return {
        // Gateways reject a conversation with tool calls when the request declares no tools.
        tools: !withTools && native.length === 0 && hasToolCalls ? [finalReport] : native,
        toolChoice: 'auto',
        next: [{ role: 'user', content: text }],
      };
    },
    parse: (response) => parseXmlResponse(response, slots, withTools),
    toMessage: withTools
      ? ({ text, reasoning }) => ({
          role: 'assistant',
          content: text,
          ...(reasoning !== '' && { reasoning }),
        })
      : nativeAssistantMessage,
    renderResult: (result) => (withTools ? renderPast(result, slots.nonce) : result.text),
    toResultMessages: withTools
      ? (results) => [
          {
            role: 'user',
            content: results.map((result) => renderPast(result, slots.nonce)).join('\n\n'),
            ...withAttachments(results.flatMap(({ images = [] }) => images)),
          },
        ]
      : nativeResultMessages,
    rejectReport: (candidate, reason) =>
      candidate.source === 'native'
        ? nativeRejection(candidate, reason)
        : {
            role: 'user',
            content: `System Notice: tool response for ${slots.nonce}-FINAL (${FINAL_REPORT})\n(tool failed: ${reason})`,
          },
    slot: () => slots.next,
    createFilter: (show) => createStreamFilter(slots.nonce, show),
  };
}

const NO_NATIVE_CALLS: NativeCalls = { calls: [], reports: [] };

function parseXmlResponse(response: LlmResponse, slots: XmlSlots, withTools: boolean): ParsedResponse {
  const { tags, text } = parseTags(response.text, slots.nonce);
  const native = withTools ? NO_NATIVE_CALLS : readNativeCalls(response);
  const calls: RequestedCall[] = [...native.calls];
  const reports: ReportCandidate[] = [...native.reports];
  const warnings: string[] = [];
  let { truncatedReport } = native;
  for (const tag of tags) {
    if (tag.slot === 'FINAL') {
      const report = readFinalTag(tag, response.stopReason, warnings);
      if (report === 'truncated') truncatedReport = tag.payload;
      else if (report !== undefined) reports.push(report);
    } else if (withTools && tag.closed) {
      const call = readCallTag(tag, slots);
      if (call !== undefined) calls.push(call);
    }
  }
  return {
    calls,
    reports,
    text,
    warnings,
    ...(truncatedReport !== undefined && reports.length === 0 && { truncatedReport }),
  };
}

/** Reads a report tag. The stop reason decides whether an unclosed report is complete. */
function readFinalTag(
  tag: Tag,
  stopReason: string | undefined,
  warnings: string[],
): ReportCandidate | 'truncated' | undefined {
  if ((tag.attributes['tool'] ?? FINAL_REPORT) !== FINAL_REPORT) return undefined;
  if (!tag.closed) {
    if (tag.payload.trim() === '') return undefined;
    if (isTruncated(stopReason)) return 'truncated';
    if (!isComplete(stopReason)) {
      warnings.push(
        `The final report has no closing tag, and the stop reason is ${stopReason ?? 'unknown'}.`,
      );
    }
  }
  const format = tag.attributes['format'];
  return { source: 'xml', payload: tag.payload, ...(format !== undefined && { format }) };
}

function readCallTag(tag: Tag, slots: XmlSlots): RequestedCall | undefined {
  const { tool } = tag.attributes;
  if (tag.slot === 'PROGRESS') {
    if ((tool ?? PROGRESS_REPORT) !== PROGRESS_REPORT) return undefined;
    const isObject = tag.payload.trim().startsWith('{');
    return {
      id: `${slots.nonce}-PROGRESS`,
      name: PROGRESS_REPORT,
      arguments: isObject ? tag.payload : JSON.stringify({ progress: tag.payload.trim() }),
      source: 'xml',
    };
  }
  // A report is valid only in its own slot.
  if (tool === undefined || tool === '' || tool === FINAL_REPORT || !slots.use(tag.slot)) return undefined;
  return {
    id: `${slots.nonce}-${tag.slot}`,
    name: tool,
    arguments: tag.payload.trim() || '{}',
    source: 'xml',
  };
}

/** The most characters of a request in XML-PAST; the model's own message contains all of it. */
const REQUEST_CHARACTERS = 400;

/**
 * Renders one result for XML-PAST. The response is untrusted: the nonce is removed from it, so that it can neither close its frame nor
 * forge a tag.
 */
function renderPast({ call, ok, text, latencyMs }: CallResult, nonce: string): string {
  return [
    `System Notice: tool response for ${call.id} (${call.name})`,
    `status: ${ok ? 'ok' : 'failed'}`,
    `duration: ${Math.round(latencyMs)} ms`,
    `request: ${excerpt(call.arguments, REQUEST_CHARACTERS)}`,
    `response, up to ${call.id}-END:`,
    text.replaceAll(nonce, '[nonce]'),
    `${call.id}-END`,
  ].join('\n');
}
