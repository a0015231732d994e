import { isPlainObject, type JsonObject, type JsonValue } from '../../base/json.ts';

/** What Slack takes, with a margin for what it adds. */
const LIMITS = { messages: 20, blocks: 50, section: 2900, header: 150, context: 2000 } as const;

/** Brings what a model gave into the shape that Slack takes; a text says why it cannot. */
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
    for (let start = 0; start < fitted.length; start += LIMITS.blocks) {
      normalised.push({ ...message, blocks: fitted.slice(start, start + LIMITS.blocks) });
    }
  }
  if (normalised.length === 0) return 'there is no message';
  if (normalised.length > LIMITS.messages) {
    return `there are ${normalised.length} messages, more than ${LIMITS.messages}`;
  }
  return normalised;
}

/** Sets plain text as sections. Text beyond what Slack takes is left out, and its end says so. */
export function slackFromText(text: string): readonly JsonObject[] {
  const most = LIMITS.messages * LIMITS.blocks;
  const parts = splitText(text, LIMITS.section);
  const kept = parts.length > most ? [...parts.slice(0, most - 1), '…'] : parts;
  const blocks = kept.map((part) => ({ type: 'section', text: { type: 'mrkdwn', text: part } }));
  const messages: JsonObject[] = [];
  for (let start = 0; start < blocks.length; start += LIMITS.blocks) {
    messages.push({ blocks: blocks.slice(start, start + LIMITS.blocks) });
  }
  return messages;
}

/** A list of messages, one message, or a bare list of blocks. */
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

/** Splits what may be split and shortens what may not. */
function fitBlock(block: JsonObject): JsonObject[] {
  const text = block['text'];
  if (block['type'] === 'section' && isPlainObject(text) && typeof text['text'] === 'string') {
    return splitText(text['text'], LIMITS.section).map((part, index) => ({
      // What goes with a section, such as a button, goes with its first part.
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

/** Cuts at the last line break that fits, else at the last space, else where it must. */
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

/** Steps back when the cut would part a surrogate pair. */
function wholePair(text: string, cut: number): number {
  const code = text.charCodeAt(cut - 1);
  return code >= 0xd800 && code <= 0xdbff ? cut - 1 : cut;
}
