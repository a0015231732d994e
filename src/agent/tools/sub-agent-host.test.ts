import { describe, expect, it } from 'vitest';
import {
  ECHO,
  echoStep,
  llmEntries,
  LocalHost,
  runAgent,
  sessionConfig,
  target,
  toolEntries,
  toolMessages,
} from '../../../test/fixtures/agent-session.ts';
import { createScriptProvider } from '../providers/script-provider.ts';
import type { ScenarioStep } from '../providers/script-scenario.ts';
import { AIAgentSession } from '../session/ai-agent-session.ts';
import type { SessionPorts } from '../session-ports.ts';
import { createSubAgentHost, type SubAgent } from './sub-agent-host.ts';
import { ToolQueues } from './tool-queues.ts';

/** A real session behind a tool. */
function subAgent(steps: readonly ScenarioStep[], ports: Partial<SessionPorts> = {}): SubAgent {
  return {
    name: 'helper',
    description: 'helps',
    run: async (input, { trace, signal, stopSignal, budget }) =>
      AIAgentSession.create(
        sessionConfig({
          agentId: 'helper',
          userPrompt: JSON.stringify(input),
          targets: [target('small')],
          trace,
          output: { format: 'sub-agent' },
        }),
        {
          llm: createScriptProvider({
            steps,
            usage: { inputTokens: 30, outputTokens: 5, cacheReadTokens: 0 },
          }),
          tools: [new LocalHost([ECHO])],
          clock: { now: () => Date.now() },
          sleep: async () => {},
          signal,
          stopSignal,
          callerBudget: budget,
          ...ports,
        },
      ).run(),
  };
}
const ask: ScenarioStep = { toolCalls: [{ name: 'agent__helper', arguments: { prompt: 'help me' } }] };
const hosts = (agent: SubAgent, callers = ['tester']) => ({ tools: [createSubAgentHost([agent], callers)] });

describe('a sub-agent', () => {
  it('is a whole session with a conversation of its own; its report is the tool’s response', async () => {
    const { result } = await runAgent({
      steps: [ask, { report: 'done' }],
      ports: hosts(subAgent([echoStep('inner'), { report: 'the help' }])),
    });
    expect(toolMessages(result).map(({ content }) => content)).toEqual(['the help']);
    expect(JSON.stringify(result.conversation)).not.toContain('inner');
  });

  it('has its accounting joined to the caller’s, with ids that tell who called whom', async () => {
    const { result } = await runAgent({
      steps: [ask, { report: 'done' }],
      ports: hosts(subAgent([echoStep('inner'), { report: 'the help' }])),
    });
    expect(llmEntries(result).map(({ callPath, model }) => `${callPath} ${model}`)).toEqual([
      'tester one',
      'tester->helper small',
      'tester->helper small',
      'tester one',
    ]);
    const inner = llmEntries(result)[1];
    expect(inner).toMatchObject({ agentId: 'helper', parentTxnId: result.txnId, originTxnId: result.txnId });
    expect(inner?.txnId).not.toBe(result.txnId);
    expect(toolEntries(result).map(({ command, agentId }) => `${agentId} ${command}`)).toEqual([
      'helper local__echo',
      'helper agent__final_report_xml',
      'tester agent__helper',
      'tester agent__final_report_xml',
    ]);
  });

  it('that fails is a failed tool, with what it gathered, and what it used still counts', async () => {
    const { result } = await runAgent({
      steps: [ask, { report: 'without help' }],
      ports: hosts(subAgent([echoStep('half of it'), { failure: { class: 'auth', message: 'no key' } }])),
    });
    expect(toolMessages(result)[0]?.content).toMatch(/^\(tool failed: no key[\s\S]*half of it/u);
    expect(llmEntries(result).filter(({ agentId }) => agentId === 'helper').length).toBe(2);
    expect(result.success).toBe(true);
  });

  it('counts towards the caps of its caller', async () => {
    const { result, requests } = await runAgent({
      steps: [ask, { report: 'capped' }],
      ports: hosts(subAgent([{ report: 'the help' }])),
      limits: { maxTotalTokens: 250 },
    });
    expect(requests[1]?.messages.some(({ content }) => content.includes('last turn'))).toBe(true);
    expect(result.success).toBe(true);
  });

  it('and others beside it, all eager to go on, stay within the caps of their caller', async () => {
    const eager = subAgent([...Array.from({ length: 9 }, () => echoStep('more')), { report: 'never' }]);
    const { result } = await runAgent({
      steps: [{ toolCalls: ['a', 'b', 'c'].map(() => ask.toolCalls?.[0] as never) }, { report: 'capped' }],
      usage: { inputTokens: 90, outputTokens: 10, cacheReadTokens: 0 },
      ports: hosts(eager),
      limits: { maxTotalTokens: 600 },
    });
    const taken = llmEntries(result).reduce((sum, { tokens }) => sum + tokens.totalTokens, 0);
    expect(taken).toBeLessThanOrEqual(600);
    expect(llmEntries(result).filter(({ agentId }) => agentId === 'helper').length).toBeGreaterThan(3);
    expect(result).toMatchObject({ success: true, finalReport: { content: 'capped' } });
    expect(toolMessages(result)[0]?.content).toContain('maxTotalTokens of the caller was reached');
  });

  it('hands in what it has when the caller is asked to stop', async () => {
    const stop = new AbortController();
    const agent = subAgent([{ report: 'handed in' }]);
    const { result } = await runAgent({
      steps: [ask, { report: 'stopped in good order' }],
      ports: {
        ...hosts({
          ...agent,
          run: async (input, child) => {
            stop.abort();
            return agent.run(input, child);
          },
        }),
        stopSignal: stop.signal,
      },
    });
    expect(toolMessages(result).map(({ content }) => content)).toEqual(['handed in']);
    expect(result.finalReport.content).toBe('stopped in good order');
  });

  it('is accounted for even when everything is aborted', async () => {
    const abort = new AbortController();
    const { result } = await runAgent({
      steps: [ask],
      ports: {
        ...hosts(
          subAgent([{ hang: true }], {
            onEvent: ({ type }) => {
              if (type === 'llm.requested') setImmediate(() => abort.abort());
            },
          }),
        ),
        signal: abort.signal,
      },
    });
    expect(result.errorKind).toBe('aborted');
    expect(llmEntries(result).map(({ agentId, status }) => `${agentId} ${status}`)).toEqual([
      'tester ok',
      'helper failed',
    ]);
  });

  it('does not wait for itself in a queue that it shares with its tools', async () => {
    const queues = new ToolQueues({ default: { concurrent: 1 } });
    const { result } = await runAgent({
      steps: [ask, { report: 'done' }],
      ports: { ...hosts(subAgent([echoStep('inner'), { report: 'the help' }], { queues })), queues },
    });
    expect(toolMessages(result).map(({ content }) => content)).toEqual(['the help']);
  });

  it('that would call itself, directly or through others, is refused at the start', async () => {
    const { result } = await runAgent({
      steps: [{ report: 'x' }],
      ports: hosts(subAgent([]), ['helper', 'tester']),
    });
    expect(result).toMatchObject({ success: false, errorKind: 'tools' });
    expect(result.error).toContain('The agents call each other in a circle: helper -> tester -> helper.');
  });
});
