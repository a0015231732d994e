import { redact, redactText, redactTexts } from '../../base/secrets/redact.ts';
import { withAttachments, type Message } from '../conversation.ts';
import type { LlmResponse } from '../llm-port.ts';
import type { RecordedResponse, SessionProgress, SessionRecordBody } from '../session-record.ts';

/**
 * Masks secrets in a record before it is stored. The opaque data of a provider stays, because the provider rejects a changed
 * signature; configured keys were removed from it when it arrived. A response in which something was masked is marked, because its
 * tool calls cannot be run from it.
 */
export function redactRecord(record: SessionRecordBody): SessionRecordBody {
  switch (record.type) {
    case 'session.opened':
      // Only by content: a name such as `tokenizer` names a setting, not a secret.
      return { ...record, head: redactTexts(record.head), messages: record.messages.map(redactMessage) };
    case 'session.resumed': {
      const { attachments, ...rest } = record;
      return { ...redact(rest), ...withAttachments(attachments) };
    }
    case 'session.suspended':
      return redact(record);
    case 'llm.requested':
    case 'accounting.added':
      return { ...record, entry: redact(record.entry) };
    case 'llm.settled': {
      const { answer } = record;
      const entry = redact(record.entry);
      return { ...record, entry, ...(answer !== undefined && { answer: redactResponse(answer) }) };
    }
    case 'llm.rejected':
      return { ...record, entries: redact(record.entries), progress: redactProgress(record.progress) };
    case 'tool.started':
      return { ...record, arguments: redactText(record.arguments) };
    case 'tool.finished': {
      const result = { ...record.result, text: redactText(record.result.text) };
      return { ...record, result, entry: redact(record.entry) };
    }
    case 'turn.finished':
    case 'session.finished':
      return {
        ...record,
        messages: record.messages.map(redactMessage),
        entries: redact(record.entries),
        progress: redactProgress(record.progress),
        ...(record.type === 'session.finished' && { result: redact(record.result) }),
      };
  }
}

function redactMessage(message: Message): Message {
  if (message.role !== 'assistant') return { ...message, content: redactText(message.content) };
  const { state, ...rest } = message;
  return { ...redact(rest), ...(state !== undefined && { state }) };
}

function redactResponse(answer: RecordedResponse): RecordedResponse {
  const { state, ...rest } = answer.response;
  const response = { ...redact(rest), ...(state !== undefined && { state }) };
  const isMasked = callsOf(response) !== callsOf(answer.response);
  return { ...answer, response, ...(isMasked && { masked: true }) };
}

/** The parts of a response that contain tool calls. */
function callsOf({ text, toolCalls }: LlmResponse): string {
  return JSON.stringify([text, toolCalls]);
}

function redactProgress({ lastText, notice, ...counters }: SessionProgress): SessionProgress {
  return {
    ...counters,
    ...(lastText !== undefined && { lastText: redactText(lastText) }),
    ...(notice !== undefined && { notice: redactText(notice) }),
  };
}
