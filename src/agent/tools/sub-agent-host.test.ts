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

/** Creates a sub-agent that runs a real session. */
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
  it('runs a session with its own conversation; its report is the tool response', async () => {
    const { result } = await runAgent({
      steps: [ask, { report: 'done' }],
      ports: hosts(subAgent([echoStep('inner'), { report: 'the help' }])),
    });
    expect(toolMessages(result).map(({ content }) => content)).toEqual(['the help']);
    expect(JSON.stringify(result.conversation)).not.toContain('inner');
  });

  it('adds its accounting to the caller’s, with ids that link it to the caller', async () => {
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

  it('that fails is a failed tool call with its results so far, and its usage still counts', async () => {
    const { result } = await runAgent({
      steps: [ask, { report: 'without help' }],
      ports: hosts(subAgent([echoStep('half of it'), { failure: { class: 'auth', message: 'no key' } }])),
    });
    expect(toolMessages(result)[0]?.content).toMatch(
      /^\(tool failed: The task was not completed: script\/\w+: no key[\s\S]*half of it/u,
    );
    expect(llmEntries(result).filter(({ agentId }) => agentId === 'helper').length).toBe(2);
    expect(result.success).toBe(true);
  });

  it('counts towards the caps of its caller', async () => {
    const { result, requests } = await runAgent({
      steps: [ask, { report: 'capped' }],
      ports: hosts(subAgent([{ report: 'the help' }])),
      limits: { maxTotalTokens: 350 },
    });
    expect(requests[1]?.messages.some(({ content }) => content.includes('last turn'))).toBe(true);
    expect(result.success).toBe(true);
  });

  it('and parallel ones together stay within the caps of their caller', async () => {
    const endless = subAgent([...Array.from({ length: 9 }, () => echoStep('more')), { report: 'never' }]);
    const { result } = await runAgent({
      steps: [{ toolCalls: ['a', 'b', 'c'].map(() => ask.toolCalls?.[0] as never) }, { report: 'capped' }],
      usage: { inputTokens: 90, outputTokens: 10, cacheReadTokens: 0 },
      ports: hosts(endless),
      limits: { maxTotalTokens: 600 },
    });
    const totalTokens = llmEntries(result).reduce((sum, { tokens }) => sum + tokens.totalTokens, 0);
    expect(totalTokens).toBeLessThanOrEqual(600);
    expect(llmEntries(result).filter(({ agentId }) => agentId === 'helper').length).toBeGreaterThan(3);
    expect(result).toMatchObject({ success: true, finalReport: { content: 'capped' } });
    expect(toolMessages(result)[0]?.content).toContain('maxTotalTokens of the caller was reached');
  });

  it('reports its results so far when the caller is stopped', async () => {
    const stop = new AbortController();
    const agent = subAgent([{ report: 'partial result' }]);
    const { result } = await runAgent({
      steps: [ask, { report: 'stopped gracefully' }],
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
    expect(toolMessages(result).map(({ content }) => content)).toEqual(['partial result']);
    expect(result.finalReport.content).toBe('stopped gracefully');
  });

  it('is accounted for when the caller is aborted', async () => {
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

  it('does not deadlock in a queue that it shares with its tools', async () => {
    const queues = new ToolQueues({ default: { concurrent: 1 } });
    const { result } = await runAgent({
      steps: [ask, { report: 'done' }],
      ports: { ...hosts(subAgent([echoStep('inner'), { report: 'the help' }], { queues })), queues },
    });
    expect(toolMessages(result).map(({ content }) => content)).toEqual(['the help']);
  });

  it('that calls itself, directly or indirectly, is rejected at start', async () => {
    const { result } = await runAgent({
      steps: [{ report: 'x' }],
      ports: hosts(subAgent([]), ['helper', 'tester']),
    });
    expect(result).toMatchObject({ success: false, errorKind: 'tools' });
    expect(result.error).toContain('The agents call each other in a cycle: helper -> tester -> helper.');
  });
});
