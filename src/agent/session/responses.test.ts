import { describe, expect, it } from 'vitest';
import {
  ECHO,
  echoStep,
  llmEntries,
  logs,
  NONCE,
  runAgent,
  toolEntries,
  toolMessages,
} from '../../../test/fixtures/agent-session.ts';
import { PLAIN_TEXT_NOTICE } from './handle-response.ts';

const FINAL = `ai-agent-${NONCE}-FINAL`;

describe('a response without tool calls', () => {
  it.each([
    ['is empty', ''],
    ['is plain text', 'I could look into it.'],
  ])('that %s is discarded and retried with an ephemeral notice', async (_name, text) => {
    const { result, requests } = await runAgent({
      steps: [{ text }, { report: 'done' }],
      tools: [ECHO],
    });
    expect(requests[1]?.messages.some(({ content }) => content === PLAIN_TEXT_NOTICE)).toBe(true);
    expect(PLAIN_TEXT_NOTICE).toBe(
      'System notice: plain text responses without tool calls are ignored. Use final_report to provide your answer.',
    );
    expect(result.conversation.map(({ role }) => role)).toEqual(['system', 'user', 'assistant']);
    expect(JSON.stringify(result.conversation)).not.toContain('System notice');
    expect(result).toMatchObject({ success: true, turns: 1 });
  });

  it.each([
    ['content_filter', '', 'A filter of the provider stopped the response (stop reason: content_filter).'],
    ['SAFETY', 'I start', 'A filter of the provider stopped the response (stop reason: SAFETY).'],
    ['end_turn', '', 'The response was empty (stop reason: end_turn).'],
  ])('names its stop reason in the log and in the error: %s', async (stopReason, text, problem) => {
    const run = await runAgent({
      steps: [
        { text, stopReason },
        { text, stopReason },
      ],
      output: { format: 'json' },
      limits: { maxTurns: 2, maxRetries: 1 },
    });
    expect(logs(run, 'WRN')[0]?.message).toContain(problem);
    expect(run.result.error).toContain(`without a final report. Last failure: ${problem}`);
  });

  it('is an incomplete report if a filter stopped it in the final turn', async () => {
    const run = await runAgent({
      steps: [{ text: 'I start', stopReason: 'refusal' }],
      limits: { maxTurns: 1 },
    });
    expect(run.result.finalReport).toMatchObject({ content: 'I start', metadata: { truncated: true } });
    expect(logs(run, 'WRN').at(-1)?.message).toContain('A filter of the provider stopped the response');
  });

  it('counts as one attempt, and its notice is not sent in the next turn', async () => {
    const { requests, result } = await runAgent({
      steps: [{ text: '' }, { text: '' }, echoStep('x'), { report: 'done' }],
      tools: [ECHO],
      limits: { maxRetries: 2 },
    });
    expect(
      requests.map(({ messages }) => messages.filter(({ content }) => content === PLAIN_TEXT_NOTICE).length),
    ).toEqual([0, 1, 1, 0]);
    expect(llmEntries(result).length).toBe(4);
    expect(result.turns).toBe(3);
  });

  it('that contains only reasoning completes the turn, and the reasoning is kept', async () => {
    const { requests, result } = await runAgent({
      steps: [{ reasoning: 'Let me think.' }, { report: 'done' }],
      tools: [ECHO],
    });
    expect(result.turns).toBe(2);
    expect(requests[1]?.messages[2]).toEqual({ role: 'assistant', content: '', reasoning: 'Let me think.' });
  });

  it('that contains only reasoning does not complete the final turn', async () => {
    const { result } = await runAgent({
      steps: [{ reasoning: 'Hm.' }, { report: 'after all' }],
      limits: { maxTurns: 1 },
    });
    expect(result).toMatchObject({ success: true, finalReport: { content: 'after all' } });
  });
});

describe('malformed tool calls', () => {
  const strict = {
    ...ECHO,
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  };

  it('are dropped with an error message, and valid calls in the same response still run', async () => {
    const run = await runAgent({
      steps: [
        {
          toolCalls: [
            { name: 'local__echo', arguments: 'not json at all' },
            { name: 'local__echo', arguments: { text: 5 } },
            { name: 'local__nothing', arguments: {} },
            { name: 'local__echo', arguments: { text: 'valid' } },
          ],
        },
        { report: 'done' },
      ],
      tools: [strict],
    });
    expect(toolMessages(run.result).map(({ content }) => content)).toEqual([
      '(tool failed: the arguments are not valid JSON; call the tool again with a JSON object)',
      '(tool failed: invalid arguments: /text must be string)',
      '(tool failed: unknown tool local__nothing)',
      'valid',
    ]);
    expect(run.host.calls.length).toBe(1);
    // The log has the whole payload, and the conversation has valid arguments.
    expect(logs(run, 'ERR')).toEqual([
      {
        message: 'The arguments of local__echo are not valid JSON.',
        details: { tool: 'local__echo', payload: 'not json at all' },
      },
    ]);
    const assistant = run.result.conversation.find(({ role }) => role === 'assistant');
    expect(assistant).toMatchObject({ toolCalls: [{ arguments: '{}' }, {}, {}, {}] });
  });

  it('are repaired if possible; a warning has the steps and both payloads', async () => {
    const run = await runAgent({
      steps: [{ toolCalls: [{ name: 'local__echo', arguments: "{'text': 'hi',}" }] }, { report: 'done' }],
      tools: [strict],
    });
    expect(toolMessages(run.result).map(({ content }) => content)).toEqual(['hi']);
    expect(logs(run, 'WRN')).toEqual([
      {
        message: 'The arguments of local__echo were repaired.',
        details: {
          tool: 'local__echo',
          steps: ['jsonrepair'],
          original: "{'text': 'hi',}",
          repaired: '{"text":"hi"}',
        },
      },
    ]);
  });

  it('of several objects run the first, and the result says that the others were not used', async () => {
    const texts = ['{"text":"one"}{"text":"two"}', '[{"text":"one"}, {"text":"two"}]', '{"text":"{}{}"}'];
    const run = await runAgent({
      steps: [
        { toolCalls: texts.map((text) => ({ name: 'local__echo', arguments: text })) },
        { report: 'done' },
      ],
      tools: [strict],
    });
    const note =
      '[The arguments contained several JSON objects: only the first was used. Send one call per object.]';
    expect(toolMessages(run.result).map(({ content }) => content)).toEqual([
      `${note}\none`,
      `${note}\none`,
      '{}{}',
    ]);
  });
});

describe('a tool schema', () => {
  it('that cannot be compiled is not enforced', async () => {
    const inputSchema = { type: 'object', properties: { text: { $ref: '#/definitions/nowhere' } } };
    const run = await runAgent({
      steps: [echoStep('a'), { report: 'x' }],
      tools: [{ ...ECHO, inputSchema }],
    });
    expect(toolMessages(run.result).map(({ content }) => content)).toEqual(['a']);
    expect(logs(run, 'WRN')[0]?.message).toContain('Cannot check the arguments of local__echo');
  });

  it('may use a pattern that is invalid in Unicode mode', async () => {
    const inputSchema = {
      type: 'object',
      properties: { text: { type: 'string', pattern: String.raw`^[\w-.]+$` } },
    };
    const run = await runAgent({
      steps: [echoStep('a-b', 'no!'), { report: 'x' }],
      tools: [{ ...ECHO, inputSchema }],
    });
    expect(toolMessages(run.result).map(({ content }) => content)).toEqual([
      'a-b',
      expect.stringContaining('must match pattern'),
    ]);
  });
});

describe('the conversation', () => {
  it('is system, user, then alternating assistant and tool, and ends with the assistant', async () => {
    const { result } = await runAgent({
      steps: [echoStep('a', 'b'), echoStep('c'), { report: 'done' }],
      tools: [ECHO],
      transport: 'native',
      history: [
        { role: 'user', content: 'before' },
        { role: 'assistant', content: 'indeed' },
      ],
    });
    expect(result.conversation.map(({ role }) => role).join(' ')).toBe(
      'system user assistant user assistant tool tool assistant tool assistant',
    );
    const last = result.conversation.at(-1);
    expect(last).toMatchObject({ role: 'assistant', toolCalls: [{ name: 'agent__final_report' }] });
  });

  it('links each tool message to its call', async () => {
    const { result } = await runAgent({
      steps: [
        {
          toolCalls: [
            { id: 'first', name: 'local__echo', arguments: { text: '1' } },
            { id: 'second', name: 'local__echo', arguments: { text: '2' } },
          ],
        },
        { report: 'done' },
      ],
      tools: [ECHO],
    });
    expect(toolMessages(result)).toEqual([
      { role: 'tool', toolCallId: 'first', toolName: 'local__echo', content: '1' },
      { role: 'tool', toolCallId: 'second', toolName: 'local__echo', content: '2' },
    ]);
  });

  it('reports a failed tool as (tool failed: <reason>), and the session continues', async () => {
    const broken = {
      ...ECHO,
      run: () => {
        throw new Error('the server is gone');
      },
    };
    const { result } = await runAgent({ steps: [echoStep('a'), { report: 'done' }], tools: [broken] });
    expect(toolMessages(result).map(({ content }) => content)).toEqual(['(tool failed: the server is gone)']);
    expect(toolEntries(result)[0]).toMatchObject({ status: 'failed', error: 'the server is gone' });
    expect(result.success).toBe(true);
  });

  it('contains no tool or report instructions in its system prompt', async () => {
    for (const transport of ['xml', 'xml-final', 'native'] as const) {
      const { requests } = await runAgent({ steps: [{ report: 'x' }], tools: [ECHO], transport });
      expect(requests[0]?.messages[0]).toEqual({ role: 'system', content: 'You are tested.' });
    }
  });

  it('contains no lone surrogate, and survives a content-filter refusal', async () => {
    const { result } = await runAgent({
      steps: [
        { ...echoStep('\uD800 broken'), text: '\uDFFF', reasoning: '\uD800' },
        { text: '', stopReason: 'content-filter' },
        { text: `<${FINAL} tool="agent__final_report" format="markdown">\uDC00 done</${FINAL}>` },
      ],
      tools: [ECHO],
    });
    expect(result).toMatchObject({ success: true, finalReport: { content: '\uFFFD done' } });
    expect(toolMessages(result)[0]?.content).toBe('\uFFFD broken');
    for (const { content } of result.conversation) expect(content.isWellFormed()).toBe(true);
  });
});
