import { describe, expect, it } from 'vitest';
import {
  ECHO,
  echoStep,
  llmEntries,
  runAgent,
  target,
  toolMessages,
} from '../../../test/fixtures/agent-session.ts';
import { Fault } from '../../base/fault.ts';
import {
  parseLlmRecording,
  replayRecording,
  replayStrictly,
  recordLlm,
  renderLlmRecording,
} from './llm-recording.ts';
import { createScriptProvider } from './script-provider.ts';
import { parseScenario } from './script-scenario.ts';

describe('the script provider', () => {
  it('replays its steps in order, deterministically', async () => {
    const play = async () => {
      const { result } = await runAgent({ steps: [echoStep('a'), { report: 'done' }], tools: [ECHO] });
      return result.conversation;
    };
    expect(await play()).toEqual(await play());
  });

  it('replays a scenario over every transport', async () => {
    for (const transport of ['native', 'xml-final', 'xml'] as const) {
      const { result, host } = await runAgent({
        steps: [echoStep('a', 'b'), echoStep('c'), { report: 'done' }],
        tools: [ECHO],
        transport,
      });
      expect(host.calls.map(({ args }) => args['text'])).toEqual(['a', 'b', 'c']);
      expect(result).toMatchObject({ success: true, turns: 3, finalReport: { content: 'done' } });
    }
  });

  it('fails when there are more requests than steps', async () => {
    const { result } = await runAgent({ steps: [], limits: { maxTurns: 1, maxRetries: 1 } });
    expect(llmEntries(result)[0]?.error).toBe('The scenario has 0 steps, but this is request 1.');
  });

  it('fails when a step expects another target', async () => {
    const { result } = await runAgent({
      steps: [
        { report: 'x', expect: { model: 'two' } },
        { report: 'y', expect: { provider: 'script', model: 'one' } },
      ],
    });
    expect(llmEntries(result).map(({ status, error }) => error ?? status)).toEqual([
      'Step 1 expects script/two, but the request is for script/one.',
      'ok',
    ]);
  });

  it('parses a scenario and rejects invalid text', () => {
    expect(parseScenario('{"steps":[{"report":"x"}]}', 'play.json').steps.length).toBe(1);
    for (const text of ['', '[]', '{"steps":5}', '{"steps":["x"]}']) {
      expect(() => parseScenario(text, 'play.json')).toThrow(Fault);
    }
  });
});

describe('a recording', () => {
  const steps = [
    { ...echoStep('a'), reasoning: 'first' },
    { failure: { class: 'rate_limit', status: 429, retryAfterMs: 2000 } } as const,
    { report: 'done', chunkCharacters: 3, costUsd: 0.5 },
  ];

  it('replays a recording with another nonce and the same result', async () => {
    for (const transport of ['xml-final', 'native', 'xml'] as const) {
      const options = { tools: [ECHO], stream: true, transport };
      const script =
        transport === 'xml'
          ? [
              { text: '<ai-agent-NONCE-0001 tool="local__echo">{"text":"a"}</ai-agent-NONCE-0001>' },
              ...steps.slice(1),
            ]
          : steps;
      const recording = recordLlm(createScriptProvider({ steps: script }));
      const recorded = await runAgent({ llm: recording.port, ...options });
      const text = renderLlmRecording(recording.read());
      expect(text).not.toContain('c0ffee42');
      const replayed = await runAgent({
        llm: replayRecording(parseLlmRecording(text, 'tape.json')),
        ...options,
        ports: { nonce: '12345678' },
      });
      expect(replayed.sleeps).toEqual(recorded.sleeps);
      expect(replayed.result.finalReport.content).toBe('done');
      const plain = ({ result }: typeof replayed) =>
        JSON.stringify(result.conversation)
          .replaceAll(/c0ffee42|12345678/gu, 'N')
          .replaceAll(/duration: \d+/gu, '');
      expect(plain(replayed)).toBe(plain(recorded));
    }
  });

  it('matches requests by content, so that parallel sessions can share it', async () => {
    const recording = recordLlm(createScriptProvider({ steps: [{ report: 'for a' }, { report: 'for b' }] }));
    await runAgent({ llm: recording.port, userPrompt: 'a' });
    await runAgent({ llm: recording.port, userPrompt: 'b' });
    const port = replayRecording(recording.read());
    const b = await runAgent({ llm: port, userPrompt: 'b' });
    const a = await runAgent({ llm: port, userPrompt: 'a' });
    expect([a.result.finalReport.content, b.result.finalReport.content]).toEqual(['for a', 'for b']);
  });

  it('falls back to recorded order when a tool returns something else', async () => {
    const recording = recordLlm(createScriptProvider({ steps: [echoStep('x'), { report: 'done' }] }));
    await runAgent({ llm: recording.port, tools: [ECHO] });
    const { result } = await runAgent({
      llm: replayRecording(recording.read()),
      tools: [{ ...ECHO, run: () => 'something else' }],
    });
    expect(toolMessages(result).map(({ content }) => content)).toEqual(['something else']);
    expect(result.success).toBe(true);
  });

  it('fails the attempt when it has no response left for the model', async () => {
    const recording = recordLlm(createScriptProvider({ steps: [{ report: 'x' }] }));
    await runAgent({ llm: recording.port });
    const { result } = await runAgent({
      llm: replayRecording(recording.read()),
      targets: [target('other')],
      limits: { maxTurns: 1, maxRetries: 1 },
    });
    expect(result.error).toContain('The recording has no further response of script/other.');
  });

  it('replayed strictly returns responses only for recorded requests', async () => {
    const recording = recordLlm(
      createScriptProvider({ steps: [echoStep('x'), { failure: { class: 'network' } }, { report: 'done' }] }),
    );
    await runAgent({ llm: recording.port, tools: [ECHO] });
    const seen: string[] = [];
    const same = replayStrictly(recording.read(), (difference) => seen.push(difference));
    expect((await runAgent({ llm: same, tools: [ECHO] })).result).toMatchObject({
      success: true,
      finalReport: { content: 'done' },
    });
    expect(seen).toEqual([]);
    expect((await runAgent({ llm: same, tools: [ECHO], limits: { maxTurns: 1 } })).result.success).toBe(
      false,
    );
    expect(seen).toEqual(['script/one received a request that was not recorded']);
  });

  it.each([
    [{ tools: [{ ...ECHO, run: () => 'other' }] }, /^script\/one .+: message \d \(result of \w+\) differs$/u],
    [{ tools: [ECHO], userPrompt: 'Another task.' }, /message 2 \(user\) differs$/u],
    [{ tools: [ECHO, { ...ECHO, name: 'another' }] }, /received a different request/u],
  ])('replayed strictly reports the first difference once: %#', async (options, expected) => {
    const recording = recordLlm(createScriptProvider({ steps: [echoStep('x'), { report: 'done' }] }));
    await runAgent({ llm: recording.port, tools: [ECHO] });
    const seen: string[] = [];
    const port = replayStrictly(recording.read(), (difference) => seen.push(difference));
    const { result } = await runAgent({ llm: port, ...options, limits: { maxTurns: 3, maxRetries: 2 } });
    expect(result.success).toBe(false);
    expect(seen).toEqual([expect.stringMatching(expected)]);
  });

  it('made with another wording of our instructions replays, as long as tools return the same', async () => {
    const recording = recordLlm(createScriptProvider({ steps: [echoStep('x'), { report: 'done' }] }));
    await runAgent({ llm: recording.port, tools: [ECHO] });
    const { version, exchanges } = recording.read();
    const older = {
      version,
      exchanges: exchanges.map((exchange) => ({ ...exchange, requestDigest: 'of another wording' })),
    };
    const seen: string[] = [];
    const replay = () => replayStrictly(older, (difference) => seen.push(difference));
    expect((await runAgent({ llm: replay(), tools: [ECHO] })).result.success).toBe(true);
    expect(seen).toEqual([]);
    const changed = { ...ECHO, run: () => 'other' };
    const { result } = await runAgent({
      llm: replay(),
      tools: [changed],
      limits: { maxTurns: 3, maxRetries: 2 },
    });
    expect(result.success).toBe(false);
    expect(seen).toEqual([expect.stringMatching(/\(result of \w+\) differs$/u)]);
  });

  it('of an older version replays although the wording of a tool result changed', async () => {
    const before = { ...ECHO, run: () => '[lines 1 to 2 of 9; go on with offset 3]' };
    const today = { ...ECHO, run: () => '[lines 1 to 2 of 9; continue at offset 3]' };
    const recording = recordLlm(createScriptProvider({ steps: [echoStep('x'), { report: 'done' }] }));
    await runAgent({ llm: recording.port, tools: [before] });
    const { exchanges, instructionsVersion } = recording.read();
    const replay = (version: number | undefined) =>
      runAgent({
        llm: replayStrictly({ version: 1, exchanges, instructionsVersion: version }, () => undefined),
        tools: [today],
        limits: { maxTurns: 3, maxRetries: 2 },
      });
    expect((await replay(2)).result.success).toBe(true);
    expect((await replay(instructionsVersion)).result.success).toBe(false);
  });

  it('contains no secrets', async () => {
    const recording = recordLlm(
      createScriptProvider({ steps: [{ text: 'the key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789' }] }),
    );
    await runAgent({ llm: recording.port, limits: { maxTurns: 1 } });
    expect(renderLlmRecording(recording.read())).not.toContain('abcdefghijklmnop');
  });

  it('is rejected when invalid', () => {
    for (const text of ['', '{}', '{"version":2,"exchanges":[]}', 'null']) {
      expect(() => parseLlmRecording(text, 'tape.json')).toThrow(Fault);
    }
  });
});
