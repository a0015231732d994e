import { lchownSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ECHO,
  echoStep,
  eventsOf,
  llmEntries,
  runAgent,
  target,
  toolEntries,
} from '../../../test/fixtures/agent-session.ts';
import { appendLedger } from './append-ledger.ts';
import { computeCost, tokenCounts } from './cost.ts';

describe('accounting', () => {
  it('has an entry with all contract fields for every LLM request', async () => {
    const { result } = await runAgent({
      steps: [
        { failure: { class: 'network', message: 'reset by peer' } },
        { report: 'done', usage: { inputTokens: 50, outputTokens: 7, cacheReadTokens: 40 } },
      ],
      targets: [target('one'), target('two')],
    });
    expect(llmEntries(result)).toEqual([
      {
        type: 'llm',
        provider: 'script',
        model: 'one',
        status: 'failed',
        latency: expect.any(Number),
        timestamp: expect.any(Number),
        tokens: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
        error: 'reset by peer',
        agentId: 'tester',
        callPath: 'tester',
        txnId: result.txnId,
        originTxnId: result.txnId,
      },
      {
        type: 'llm',
        provider: 'script',
        model: 'two',
        status: 'ok',
        latency: expect.any(Number),
        timestamp: expect.any(Number),
        tokens: {
          inputTokens: 50,
          outputTokens: 7,
          cachedTokens: 40,
          cacheReadInputTokens: 40,
          cacheWriteInputTokens: 0,
          totalTokens: 97,
        },
        stopReason: 'stop',
        agentId: 'tester',
        callPath: 'tester',
        txnId: result.txnId,
        originTxnId: result.txnId,
      },
    ]);
  });

  it('records the actual provider and model, and the reported cost', async () => {
    const { result } = await runAgent({
      llm: {
        attempt: async () => ({
          ok: true,
          text: 'done',
          reasoning: '',
          toolCalls: [],
          stopReason: 'stop',
          usage: { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0 },
          actualProvider: 'anthropic',
          actualModel: 'claude',
          costUsd: 0.25,
        }),
      },
      limits: { maxTurns: 1 },
      targets: [target('one', { pricing: { input: 1, output: 1 } })],
    });
    expect(llmEntries(result)[0]).toMatchObject({
      actualProvider: 'anthropic',
      actualModel: 'claude',
      costUsd: 0.25,
    });
  });

  it('has an entry for every tool execution, successful or failed', async () => {
    const { result } = await runAgent({
      steps: [
        { toolCalls: [{ name: 'local__echo', arguments: { text: 'hello' } }, { name: 'local__bad' }] },
        { report: 'x' },
      ],
      tools: [
        ECHO,
        {
          name: 'local__bad',
          run: () => {
            throw new Error('no');
          },
        },
      ],
    });
    const byCommand = Object.fromEntries(toolEntries(result).map((entry) => [entry.command, entry]));
    expect(byCommand['local__echo']).toEqual({
      type: 'tool',
      mcpServer: 'local',
      command: 'local__echo',
      status: 'ok',
      latency: expect.any(Number),
      timestamp: expect.any(Number),
      charactersIn: '{"text":"hello"}'.length,
      charactersOut: 5,
      agentId: 'tester',
      callPath: 'tester',
      txnId: result.txnId,
      originTxnId: result.txnId,
    });
    expect(byCommand['local__bad']).toMatchObject({ status: 'failed', error: 'no' });
  });

  it('is emitted entry by entry while the session runs', async () => {
    const run = await runAgent({ steps: [echoStep('a'), { report: 'x' }], tools: [ECHO] });
    expect(eventsOf(run, 'accounting.added').map(({ entry }) => entry)).toEqual(run.result.accounting);
  });
});

describe('the cost of a request', () => {
  it('is computed from the pricing table, with a price per token type', () => {
    const usage = { inputTokens: 1000, outputTokens: 100, cacheReadTokens: 5000, cacheWriteTokens: 400 };
    const pricing = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
    expect(computeCost(usage, pricing)).toBeCloseTo((600 * 3 + 400 * 3.75 + 5000 * 0.3 + 100 * 15) / 1e6, 12);
    expect(computeCost(usage, { input: 3, output: 15 })).toBeCloseTo((6000 * 3 + 100 * 15) / 1e6, 12);
    expect(computeCost(usage, undefined)).toBeUndefined();
    expect(tokenCounts(undefined)).toEqual({ inputTokens: 0, outputTokens: 0, totalTokens: 0 });
  });
});

describe('the ledger file', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('contains JSON lines without secrets and is private', async () => {
    const path = join(folder, 'accounting.jsonl');
    const { result } = await runAgent({
      steps: [
        { failure: { class: 'auth', message: 'key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789 rejected' } },
      ],
    });
    appendLedger(path, result.accounting);
    appendLedger(path, result.accounting);
    appendLedger(path, []);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(['llm', 'llm']);
    expect(lines.join('')).not.toContain('abcdefghijklmnop');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.runIf(process.getuid?.() === 0)('is not written through a link of another account', async () => {
    const { result } = await runAgent({ steps: [{ failure: { class: 'auth', message: 'rejected' } }] });
    writeFileSync(join(folder, 'target'), '');
    const link = join(folder, 'link');
    symlinkSync('target', link);
    lchownSync(link, 42_424, 42_424);
    expect(() => appendLedger(link, result.accounting)).toThrow('belongs to uid 42424');
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('');
  });
});
