import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONG } from '../../../test/fixtures/start-node.ts';
import { parseTags } from './parse-tags.ts';
import { createStreamFilter } from './stream-filter.ts';
import { cpuTimeMs } from '../../system/cpu-time-ms.ts';

const RUNS = { numRuns: LONG ? 500 : 150 };
const NONCE = 'abcd1234';
const tag = (slot: string, payload: string) =>
  `<ai-agent-${NONCE}-${slot} tool="t">${payload}</ai-agent-${NONCE}-${slot}>`;

/** Generates edge cases: complete tags, partial tags, and text that resembles tags. */
const piece = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom(
    '<',
    '</',
    '>',
    '<ai-agent-',
    `<ai-agent-${NONCE}`,
    `<ai-agent-${NONCE}-`,
    `<ai-agent-${NONCE}-FINAL`,
    `<ai-agent-${NONCE}-FINAL tool="agent__final_report" format="markdown">`,
    `<ai-agent-${NONCE}-0001 tool="x">`,
    `</ai-agent-${NONCE}-FINAL>`,
    `</ai-agent-${NONCE}-0001>`,
    `</ai-agent-${NONCE}-FIN`,
    '<ai-agent-00000000-FINAL>',
    `${NONCE}-`,
    '-0001 tool="x">',
    tag('FINAL', 'report'),
    tag('0002', '{"a":1}'),
  ),
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

function filter(chunks: readonly string[]): { text: string; report: string } {
  const shown = { text: '', report: '' };
  const stream = createStreamFilter(NONCE, (channel, shownText) => {
    shown[channel] += shownText;
  });
  for (const chunk of chunks) stream.push(chunk);
  stream.end();
  return shown;
}

function cut(whole: string, at: readonly number[]): string[] {
  const points = [...new Set(at.map((point) => point % (whole.length + 1)))].sort((a, b) => a - b);
  return [...points, whole.length].map((point, index) => whole.slice(points[index - 1] ?? 0, point));
}

describe('the streaming filter', () => {
  it('does not depend on chunk boundaries', { timeout: 30_000 }, () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 20 }), (whole, points) => {
        expect(filter(cut(whole, points))).toEqual(filter([whole]));
        expect(filter(whole.split(''))).toEqual(filter([whole]));
      }),
      RUNS,
    );
  });

  it('never shows a tag of the session, and shows the same text as the parser', { timeout: 30_000 }, () => {
    fc.assert(
      fc.property(text, (whole) => {
        const shown = filter([whole]);
        const { tags, text: outside } = parseTags(whole, NONCE);
        expect(shown.text).not.toContain(`<ai-agent-${NONCE}-`);
        expect(shown.text).toBe(outside);
        const reports = tags.filter(({ slot }) => slot === 'FINAL').map(({ payload }) => payload);
        expect(shown.report).toBe(reports.join(''));
      }),
      RUNS,
    );
  });

  it('never forms a tag from the text around a hidden one', () => {
    const halves = [`<ai-agent-${NONCE}`, '-0001 tool="x">{}'] as const;
    expect(filter([halves.join(tag('0002', '{}'))]).text).toBe(halves.join(' '));
    expect(filter([halves.join(`</ai-agent-${NONCE}-FINAL>`)]).text).toBe(halves.join(' '));
  });

  it('shows text outside tags and the content of the report, and hides the rest', () => {
    expect(
      filter([`Let me see.${tag('0001', '{"q":1}')} Now: ${tag('FINAL', 'All is well.')} Bye.`]),
    ).toEqual({
      text: 'Let me see. Now:  Bye.',
      report: 'All is well.',
    });
  });

  it('streams the report before its tag is closed', () => {
    const shown: string[] = [];
    const stream = createStreamFilter(NONCE, (_channel, part) => shown.push(part));
    stream.push(`<ai-agent-${NONCE}-FINAL tool="agent__final_report">First line.\n`);
    expect(shown).toEqual(['First line.\n']);
  });
});

describe('tags', () => {
  it('are matched by the nonce only', () => {
    expect(parseTags(`<ai-agent-ffffffff-0001 tool="x">{}</ai-agent-ffffffff-0001>`, NONCE).tags).toEqual([]);
    expect(parseTags(`a < b & c > d ${tag('0001', '<xml>&amp;</xml>')}`, NONCE).tags).toEqual([
      { slot: '0001', attributes: { tool: 't' }, payload: '<xml>&amp;</xml>', closed: true },
    ]);
  });

  it('that are not closed end at the next opening tag', () => {
    const { tags } = parseTags(`<ai-agent-${NONCE}-0001 tool="x">{"a":1}${tag('FINAL', 'here')}`, NONCE);
    expect(tags.map(({ slot, payload, closed }) => [slot, payload, closed])).toEqual([
      ['0001', '{"a":1}', false],
      ['FINAL', 'here', true],
    ]);
  });

  it('of other slots inside a report are part of its content', () => {
    const quoted = `as in ${tag('0009', '{}')}`;
    expect(parseTags(tag('FINAL', quoted), NONCE).tags.map(({ payload }) => payload)).toEqual([quoted]);
  });

  it('that follow each other without end are scanned in linear time', () => {
    const start = cpuTimeMs();
    const { tags } = parseTags(`<ai-agent-${NONCE}-FINAL format="json">`.repeat(10_000), NONCE);
    expect(tags).toHaveLength(10_000);
    // In quadratic time this takes ten seconds.
    expect(cpuTimeMs() - start).toBeLessThan(3000);
  });

  it.each([1, 20_000])('that are longer than any tag are text, in chunks of %i characters', (size) => {
    const long = `${'a'.repeat(19_000)}>${tag('FINAL', 'here')}`;
    const input = `<ai-agent-${NONCE}-FINAL ${long}`;
    const chunks = Array.from({ length: Math.ceil(input.length / size) }, (_, index) =>
      input.slice(index * size, (index + 1) * size),
    );
    expect(filter(chunks)).toEqual({ text: `FINAL ${'a'.repeat(19_000)}>`, report: 'here' });
  });
});
