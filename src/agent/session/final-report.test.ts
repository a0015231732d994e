import { describe, expect, it } from 'vitest';
import {
  ECHO,
  echoStep,
  logs,
  runAgent,
  toolEntries,
  toolMessages,
  type AgentRunOptions,
} from '../../../test/fixtures/agent-session.ts';
import { OUTPUT_FORMATS } from '../session-config.ts';

const schema = {
  type: 'object',
  properties: {
    status: { type: 'string' },
    count: { type: 'number' },
    items: {
      type: 'array',
      items: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
    },
  },
  required: ['status', 'items'],
};
const reportCall = (args: object | string) => ({
  toolCalls: [
    { name: 'agent__final_report', arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  ],
});
const native = (options: AgentRunOptions) => runAgent({ transport: 'native', ...options });

describe('the status of a report', () => {
  it('is success for a report of the model, regardless of the status the model sets', async () => {
    const { result } = await native({
      steps: [reportCall({ format: 'markdown', report_content: 'x', status: 'failure' })],
    });
    expect(result).toMatchObject({ success: true, finalReport: { status: 'success', content: 'x' } });
    expect(result.finalReport.ts).toBeGreaterThan(0);
    expect(result.error).toBeUndefined();
  });

  it('keeps metadata separate from the content', async () => {
    const { result } = await native({
      steps: [reportCall({ format: 'markdown', report_content: 'x', metadata: { source: 'disk' } })],
    });
    expect(result.finalReport.metadata).toEqual({ source: 'disk' });
  });
});

describe('a report whose schema requires text', () => {
  it.each(['native', 'xml-final'] as const)('may be without the quotes of JSON: %s', async (transport) => {
    const output = { format: 'json', schema: { enum: ['low', 'high'] } } as const;
    const { result } = await runAgent({ transport, output, steps: [{ report: 'high' }] });
    expect(result.finalReport).toMatchObject({ status: 'success', content_json: 'high' });
  });
});

describe('the format of a report', () => {
  it.each(OUTPUT_FORMATS)('%s is fixed in the tool schema and in the report', async (format) => {
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: 'hello' } }];
    const report =
      format === 'json' ? { a: 1 } : format === 'slack-block-kit' ? JSON.stringify([{ blocks }]) : 'hello';
    for (const transport of ['native', 'xml-final', 'xml'] as const) {
      const { result, requests } = await runAgent({ steps: [{ report }], transport, output: { format } });
      expect(result.finalReport).toMatchObject({
        status: 'success',
        format,
        ...(format === 'json' ? { content_json: { a: 1 } } : {}),
        ...(format === 'slack-block-kit' ? { messages: [{ blocks }] } : {}),
        ...(format !== 'json' && format !== 'slack-block-kit' ? { content: 'hello' } : {}),
      });
      if (transport === 'native') {
        expect(requests[0]?.tools[0]?.inputSchema).toMatchObject({
          properties: { format: { const: format } },
        });
      } else {
        expect(requests[0]?.messages.at(-1)?.content).toContain(`format="${format}"`);
      }
    }
  });

  it('is corrected with a warning when it does not match', async () => {
    const run = await native({ steps: [reportCall({ format: 'tty', report_content: 'x' })] });
    expect(run.result.finalReport.format).toBe('markdown');
    expect(logs(run, 'WRN')[0]?.message).toBe('The report has format tty; it is stored as markdown.');
  });
});

describe('report_content in base64', () => {
  it('is decoded', async () => {
    const encoded = Buffer.from('Grüße ✓').toString('base64');
    const { result } = await native({
      steps: [reportCall({ format: 'markdown', report_content: encoded, encoding: 'base64' })],
    });
    expect(result.finalReport.content).toBe('Grüße ✓');
  });

  it('is rejected when invalid', async () => {
    const { result } = await native({
      steps: [reportCall({ format: 'markdown', report_content: 'no base64!', encoding: 'base64' })],
      limits: { maxTurns: 1, maxRetries: 1 },
    });
    expect(result.finalReport.metadata).toMatchObject({
      reason: 'final_report_tool_failed',
      final_report_attempts: 1,
    });
  });
});

describe('content_json', () => {
  const json = (content: unknown, options: AgentRunOptions = {}) =>
    native({
      steps: [reportCall({ format: 'json', content_json: content })],
      output: { format: 'json', schema },
      ...options,
    });

  it('is validated, and stringified fields are parsed level by level where the schema requires it', async () => {
    const inner = JSON.stringify([JSON.stringify({ id: 7 }), { id: '8' }]);
    const run = await json({ status: 'fine', items: inner });
    expect(run.result.finalReport.content_json).toEqual({ status: 'fine', items: [{ id: 7 }, { id: 8 }] });
    expect(logs(run, 'WRN')[0]).toMatchObject({
      message: 'The final report was repaired.',
      details: { steps: ['parsed-text /items', 'parsed-text /items/0', 'parsed-text /items/1/id'] },
    });
  });

  it('is parsed at most four levels deep', async () => {
    const nest = (levels: number): object =>
      levels === 0 ? { type: 'number' } : { type: 'array', items: nest(levels - 1) };
    const wrap = (levels: number): unknown => (levels === 0 ? 1 : JSON.stringify([wrap(levels - 1)]));
    const outcome = async (levels: number) =>
      (
        await json([wrap(levels)], {
          output: { format: 'json', schema: nest(levels + 1) as never },
          limits: { maxTurns: 1, maxRetries: 1 },
        })
      ).result.success;
    expect([await outcome(4), await outcome(5)]).toEqual([true, false]);
  });

  it('keeps a string that the schema defines as a string, even if it looks like JSON', async () => {
    const { result } = await json({ status: '{"not":"parsed"}', items: [] });
    expect(result.finalReport.content_json).toEqual({ status: '{"not":"parsed"}', items: [] });
  });

  it('never mixes fields of the payload with fields of the report', async () => {
    const { result } = await json({ status: 'theirs', items: [], format: 'theirs', metadata: 'theirs' });
    expect(result.finalReport).toMatchObject({
      status: 'success',
      format: 'json',
      content_json: { status: 'theirs', format: 'theirs', metadata: 'theirs' },
    });
    expect(result.finalReport.metadata).toBeUndefined();
  });

  it('is never created from prose, with or without a schema', async () => {
    for (const transport of ['native', 'xml-final'] as const) {
      const { result } = await runAgent({
        steps: [{ report: '# Done\nAll good.' }],
        transport,
        output: { format: 'json' },
        limits: { maxTurns: 1, maxRetries: 1 },
      });
      expect(result).toMatchObject({
        success: false,
        finalReport: { metadata: { reason: 'final_report_tool_failed' } },
      });
    }
  });

  it('is repaired when it is malformed JSON text', async () => {
    const { result } = await json('```json\n{status: "fine", items: [],}\n```');
    expect(result.finalReport.content_json).toEqual({ status: 'fine', items: [] });
  });
});

describe('a rejected final report', () => {
  const output = { format: 'json', schema } as const;
  const bad = reportCall({ format: 'json', content_json: { status: 'no items' } });

  it('collapses the remaining turns to one, and logs the whole payload', async () => {
    const run = await native({
      steps: [bad, reportCall({ format: 'json', content_json: { status: 'ok', items: [] } })],
      output,
      tools: [ECHO],
      limits: { maxTurns: 9 },
    });
    expect(run.requests[1]?.tools.map(({ name }) => name)).toEqual(['agent__final_report']);
    expect(logs(run, 'ERR')[0]?.details).toEqual({
      payload: JSON.stringify({ format: 'json', content_json: { status: 'no items' } }),
    });
    expect(toolMessages(run.result)[0]?.content).toBe(
      "(tool failed: content_json does not match the schema: the value must have required property 'items')",
    );
    expect(run.result).toMatchObject({ success: true, turns: 2 });
    expect(toolEntries(run.result).map(({ command, status }) => `${command} ${status}`)).toEqual([
      'agent__final_report failed',
      'agent__final_report ok',
    ]);
  });

  it('that stays invalid ends the session with a synthetic report, without using the remaining turns', async () => {
    const { result, requests } = await native({
      steps: Array.from({ length: 30 }, () => bad),
      output,
      limits: { maxTurns: 9, maxRetries: 2 },
    });
    expect(requests.length).toBe(3);
    expect(result.finalReport).toMatchObject({
      status: 'failure',
      format: 'json',
      metadata: { reason: 'final_report_tool_failed', final_report_attempts: 3, turns_completed: 2 },
    });
  });

  it('never exceeds maxTurns', async () => {
    const { requests } = await native({
      steps: [bad, bad, bad],
      output,
      limits: { maxTurns: 1, maxRetries: 1 },
    });
    expect(requests.length).toBe(1);
  });
});

describe('plain text on the final turn', () => {
  it('is accepted as the report', async () => {
    for (const transport of ['native', 'xml-final', 'xml'] as const) {
      const { result } = await runAgent({
        steps: [{ text: 'Here is what I found.' }],
        transport,
        limits: { maxTurns: 1 },
      });
      expect(result).toMatchObject({
        success: true,
        finalReport: { status: 'success', format: 'markdown', content: 'Here is what I found.' },
      });
      expect(result.conversation.at(-1)).toEqual({ role: 'assistant', content: 'Here is what I found.' });
    }
  });

  it('must be JSON that matches the schema in format json', async () => {
    const { result } = await runAgent({
      steps: [{ text: 'Sorry, no JSON.' }, { text: '{"status":"ok","items":[]}' }],
      output: { format: 'json', schema },
      limits: { maxTurns: 1 },
    });
    expect(result.finalReport.content_json).toEqual({ status: 'ok', items: [] });
  });

  it('becomes sections for Slack', async () => {
    const { result } = await runAgent({
      steps: [{ text: 'word '.repeat(800) }],
      output: { format: 'slack-block-kit' },
      limits: { maxTurns: 1 },
    });
    const blocks = result.finalReport.messages?.[0]?.['blocks'] as { text: { text: string } }[];
    expect(blocks.length).toBe(2);
    expect(blocks.every(({ text }) => text.text.length <= 2900)).toBe(true);
  });
});

describe('a final report next to other calls', () => {
  it('is accepted after those calls have run', async () => {
    const { result, host } = await native({
      steps: [{ ...echoStep('sent'), report: 'and done' }],
      tools: [ECHO],
    });
    expect(host.calls.length).toBe(1);
    expect(result).toMatchObject({ success: true, finalReport: { content: 'and done' } });
  });
});

describe('a session without a report', () => {
  it('includes model text and tool results in the failure report, in every format', async () => {
    for (const format of OUTPUT_FORMATS) {
      const { result } = await runAgent({
        steps: [echoStep('found this'), { ...echoStep('more'), text: 'I need more time.' }],
        tools: [ECHO],
        output: { format },
        limits: { maxTurns: 2, maxRetries: 1 },
      });
      const report = JSON.stringify(result.finalReport);
      expect(result.finalReport).toMatchObject({ status: 'failure', format });
      expect(report).toContain('found this');
      expect(report).toContain('I need more time.');
    }
  });
});
