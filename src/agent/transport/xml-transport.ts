import { excerpt } from '../../base/text.ts';
import type { LlmResponse } from '../llm-port.ts';
import type { ReportCandidate } from '../report/report-candidate.ts';
import { FINAL_REPORT } from '../report/report-formats.ts';
import { PROGRESS_REPORT } from '../tools/internal-host.ts';
import { answerNative, keepNative, readNativeCalls, rejectNative } from './native-transport.ts';
import { parseTags, type Tag } from './parse-tags.ts';
import { renderXmlNext, type FinalSlot } from './render-xml-next.ts';
import { createStreamFilter } from './stream-filter.ts';
import type { CallResult, Reading, RequestedCall, SessionTransport } from './transport.ts';
import type { XmlSlots } from './xml-slots.ts';

export interface XmlOptions {
  /** `xml-final`: tools stay native, only the report is a tag. */
  readonly mode: 'xml' | 'xml-final';
  readonly slots: XmlSlots;
  readonly final: FinalSlot;
  readonly maxToolCallsPerTurn: number;
}

/** The report, and in `xml` mode every tool, is a tag in the model's text. */
export function createXmlTransport({
  mode,
  slots,
  final,
  maxToolCallsPerTurn,
}: XmlOptions): SessionTransport {
  const withTools = mode === 'xml';
  return {
    offer: (tools, finalOnly) => {
      const slotIds = withTools && !finalOnly ? slots.offer(maxToolCallsPerTurn) : [];
      const text = renderXmlNext({
        nonce: slots.nonce,
        tools: finalOnly ? [] : tools,
        slotIds,
        final,
        finalOnly,
      });
      return {
        tools: withTools || finalOnly ? [] : tools,
        toolChoice: 'auto',
        next: [{ role: 'user', content: text }],
      };
    },
    read: (response) => readAnswer(response, slots, withTools),
    keep: withTools
      ? ({ text, reasoning }) => ({
          role: 'assistant',
          content: text,
          ...(reasoning !== '' && { reasoning }),
        })
      : keepNative,
    renderResult: (result) => (withTools ? renderPast(result, slots.nonce) : result.text),
    answer: withTools
      ? (results) => [
          { role: 'user', content: results.map((result) => renderPast(result, slots.nonce)).join('\n\n') },
        ]
      : answerNative,
    rejectReport: (candidate, reason) =>
      candidate.source === 'native'
        ? rejectNative(candidate, reason)
        : {
            role: 'user',
            content: `System Notice: tool response for ${slots.nonce}-FINAL (${FINAL_REPORT})\n(tool failed: ${reason})`,
          },
    createFilter: (show) => createStreamFilter(slots.nonce, show),
  };
}

function readAnswer(response: LlmResponse, slots: XmlSlots, withTools: boolean): Reading {
  const { tags, text } = parseTags(response.text, slots.nonce);
  const native = withTools ? { calls: [], reports: [] } : readNativeCalls(response);
  const calls: RequestedCall[] = [...native.calls];
  const reports: ReportCandidate[] = [...native.reports];
  const warnings: string[] = [];
  let cutOff: string | undefined;
  for (const tag of tags) {
    if (tag.slot === 'FINAL') {
      const taken = takeFinal(tag, response.stopReason, warnings);
      if (taken === 'cut off') cutOff = tag.payload;
      else if (taken !== undefined) reports.push(taken);
    } else if (withTools && tag.closed) {
      const call = takeCall(tag, slots);
      if (call !== undefined) calls.push(call);
    }
  }
  return { calls, reports, text, warnings, ...(cutOff !== undefined && reports.length === 0 && { cutOff }) };
}

const COMPLETE = new Set(['stop', 'end_turn', 'end', 'eos']);
const TRUNCATED = new Set(['length', 'max_tokens']);

/** Whether an unclosed report is whole is told by why the model stopped. */
function takeFinal(
  tag: Tag,
  stopReason: string | undefined,
  warnings: string[],
): ReportCandidate | 'cut off' | undefined {
  if ((tag.attributes['tool'] ?? FINAL_REPORT) !== FINAL_REPORT) return undefined;
  if (!tag.closed) {
    if (tag.payload.trim() === '') return undefined;
    if (stopReason !== undefined && TRUNCATED.has(stopReason)) return 'cut off';
    if (stopReason === undefined || !COMPLETE.has(stopReason)) {
      warnings.push(
        `The final report has no closing tag, and the stop reason is ${stopReason ?? 'unknown'}.`,
      );
    }
  }
  const format = tag.attributes['format'];
  return { source: 'xml', payload: tag.payload, ...(format !== undefined && { format }) };
}

function takeCall(tag: Tag, slots: XmlSlots): RequestedCall | undefined {
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
  // A report has a slot of its own; in another it would escape the rules for reports.
  if (tool === undefined || tool === '' || tool === FINAL_REPORT || !slots.use(tag.slot)) return undefined;
  return {
    id: `${slots.nonce}-${tag.slot}`,
    name: tool,
    arguments: tag.payload.trim() || '{}',
    source: 'xml',
  };
}

/** How long a request is shown in the notice of its response; the model's own message has it in full. */
const REQUEST_CHARACTERS = 400;

/**
 * Tells of one result. The response comes from outside, so it must not be able to end its frame or to write a tag: the nonce is the only
 * thing that could do either, and it is taken out.
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
