import { chunksOf } from '../../base/chunks-of.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../base/json.ts';

/** Slack's limits, with a safety margin. */
const LIMITS = { messages: 20, blocks: 50, section: 2900, header: 150, context: 2000 } as const;

/** Normalises a model's Slack messages to Slack's format and limits; returns an error message when that is impossible. */
export function normaliseSlack(given: JsonValue | undefined): readonly JsonObject[] | string {
  const messages = asMessages(given);
  if (messages === undefined) return 'messages must be an array of objects with blocks';
  const normalised: JsonObject[] = [];
  for (const [index, message] of messages.entries()) {
    const blocks = message['blocks'];
    if (!Array.isArray(blocks) || blocks.length === 0) return `message ${index + 1} has no blocks`;
    const fitted: JsonObject[] = [];
    for (const block of blocks as JsonValue[]) {
      if (!isPlainObject(block) || typeof block['type'] !== 'string') {
        return `message ${index + 1} has a block without a type`;
      }
      fitted.push(...fitBlock(block));
    }
    normalised.push(...chunksOf(fitted, LIMITS.blocks).map((part) => ({ ...message, blocks: part })));
  }
  if (normalised.length === 0) return 'messages is empty';
  if (normalised.length > LIMITS.messages) {
    return `too many messages: ${normalised.length}, the limit is ${LIMITS.messages}`;
  }
  return normalised;
}

/** Converts plain text to sections. Text beyond Slack's limits is dropped and replaced with an ellipsis. */
export function slackFromText(text: string): readonly JsonObject[] {
  const maxParts = LIMITS.messages * LIMITS.blocks;
  const parts = splitText(text, LIMITS.section);
  const kept = parts.length > maxParts ? [...parts.slice(0, maxParts - 1), '…'] : parts;
  const blocks = kept.map((part) => ({ type: 'section', text: { type: 'mrkdwn', text: part } }));
  return chunksOf(blocks, LIMITS.blocks).map((part) => ({ blocks: part }));
}

/** Accepts an array of messages, one message, or an array of blocks. */
function asMessages(given: JsonValue | undefined): JsonObject[] | undefined {
  if (isPlainObject(given)) {
    return Array.isArray(given['messages']) ? asMessages(given['messages'] as JsonValue) : [given];
  }
  if (!Array.isArray(given) || !given.every(isPlainObject)) return undefined;
  const items = given as unknown as JsonObject[];
  return items.length > 0 && items.every((item) => typeof item['type'] === 'string' && !('blocks' in item))
    ? [{ blocks: items }]
    : items;
}

/** Fits a block to the limits: splits a section, shortens other text. */
function fitBlock(block: JsonObject): JsonObject[] {
  const text = block['text'];
  if (block['type'] === 'section' && isPlainObject(text) && typeof text['text'] === 'string') {
    return splitText(text['text'], LIMITS.section).map((part, index) => ({
      // Other members of a section, such as a button, stay with its first part.
      ...(index === 0 ? block : { type: 'section' }),
      text: { ...text, text: part } as JsonObject,
    }));
  }
  if (block['type'] === 'header' && isPlainObject(text) && typeof text['text'] === 'string') {
    return [{ ...block, text: { ...text, text: shorten(text['text'], LIMITS.header) } }];
  }
  if (block['type'] === 'context' && Array.isArray(block['elements'])) {
    const elements = (block['elements'] as JsonValue[]).map((element) =>
      isPlainObject(element) && typeof element['text'] === 'string'
        ? { ...element, text: shorten(element['text'], LIMITS.context) }
        : element,
    );
    return [{ ...block, elements }];
  }
  return [block];
}

/** Splits text at the last line break or space within the limit, otherwise at the limit. */
function splitText(text: string, limit: number): string[] {
  const parts: string[] = [];
  let start = 0;
  while (text.length - start > limit) {
    const window = text.slice(start, start + limit);
    const breakAt = Math.max(window.lastIndexOf('\n'), window.lastIndexOf(' '));
    const part = breakAt > limit / 2 ? window.slice(0, breakAt) : window.slice(0, wholePair(window, limit));
    parts.push(part);
    start += part.length;
    if (text[start] === '\n' || text[start] === ' ') start += 1;
  }
  return [...parts, text.slice(start)];
}

function shorten(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, wholePair(text, limit - 1))}…`;
}

/** Returns the cut position, moved back if it would split a surrogate pair. */
function wholePair(text: string, cut: number): number {
  const code = text.charCodeAt(cut - 1);
  return code >= 0xd800 && code <= 0xdbff ? cut - 1 : cut;
}
