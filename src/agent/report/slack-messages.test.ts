import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { normaliseSlack, slackFromText } from './slack-messages.ts';

const section = (text: string): JsonObject => ({ type: 'section', text: { type: 'mrkdwn', text } });
const textOf = (block: JsonObject): string => (block['text'] as { text: string }).text;
const blocksOf = (messages: readonly JsonObject[] | string): JsonObject[] =>
  typeof messages === 'string' ? [] : messages.flatMap(({ blocks }) => blocks as JsonObject[]);

describe('Slack messages', () => {
  it('are accepted as an array of messages, one message, an array of blocks, or wrapped', () => {
    const block = section('hello');
    const expected = [{ blocks: [block] }];
    for (const given of [expected, { blocks: [block] }, [block], { messages: expected }]) {
      expect(normaliseSlack(given)).toEqual(expected);
    }
  });

  it('are fitted to the limits of Slack without losing section text', () => {
    const long = Array.from({ length: 900 }, (_, index) => `word${index}`).join(' ');
    const messages = normaliseSlack([
      {
        blocks: [
          { type: 'header', text: { type: 'plain_text', text: 'h'.repeat(200) } },
          section(long),
          { type: 'context', elements: [{ type: 'mrkdwn', text: 'c'.repeat(2500) }] },
        ],
      },
    ]);
    const [header, ...rest] = blocksOf(messages);
    expect(header === undefined ? '' : textOf(header)).toBe(`${'h'.repeat(149)}…`);
    const sections = rest.filter(({ type }) => type === 'section').map(textOf);
    expect(sections.every(({ length }) => length <= 2900)).toBe(true);
    expect(sections.join(' ')).toBe(long);
    expect(JSON.stringify(rest.at(-1))).toContain(`${'c'.repeat(1999)}…`);
  });

  it('are split after 50 blocks, and more than 20 messages are rejected', () => {
    const blocks = (count: number) => Array.from({ length: count }, (_, index) => section(`${index}`));
    const messages = normaliseSlack([{ blocks: blocks(120), channel: 'kept' }]);
    expect(
      typeof messages === 'string' ? [] : messages.map((message) => (message['blocks'] as []).length),
    ).toEqual([50, 50, 20]);
    expect(normaliseSlack([{ blocks: blocks(1001) }])).toBe('too many messages: 21, the limit is 20');
  });

  it.each([
    [undefined, 'messages must be an array of objects with blocks'],
    ['text', 'messages must be an array of objects with blocks'],
    [[], 'messages is empty'],
    [[{ blocks: [] }], 'message 1 has no blocks'],
    [[{ blocks: [{ text: 'x' }] }], 'message 1 has a block without a type'],
  ])('are rejected when invalid: %j', (given, reason) => {
    expect(normaliseSlack(given as never)).toBe(reason);
  });

  it('created from any text stay within the limits', { timeout: 30_000 }, () => {
    const run = fc
      .tuple(fc.constantFrom('x', 'word ', 'line\n', '😀', '\n', ' '), fc.integer({ min: 1, max: 2000 }))
      .map(([unit, count]) => unit.repeat(count));
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 6 }), (runs) => {
        const text = runs.join('');
        const parts = blocksOf(slackFromText(text)).map(textOf);
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(2900);
          expect(part.isWellFormed()).toBe(true);
        }
        expect(parts.join('').replaceAll(/\s/gu, '')).toBe(text.replaceAll(/\s/gu, ''));
      }),
    );
    expect(slackFromText('x'.repeat(4_000_000)).length).toBe(20);
  });
});
