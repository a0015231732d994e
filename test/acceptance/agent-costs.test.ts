import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLlmServer, type LlmServer } from '../fixtures/llm-server.ts';
import { scriptModel } from '../fixtures/script-model.ts';
import { startDeed } from '../fixtures/run-deed.ts';
import { scriptedClaude } from '../fixtures/scripted-claude.ts';
import { LONG, killNow } from '../fixtures/start-node.ts';
import { addSession } from '../fixtures/web-records.ts';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

/** What agents have spent: a session, a work item with a prompt file, and a run of Claude Code. */
describe.sequential('agent costs', () => {
  let bench: WorkBench;
  let server: LlmServer;
  const ledger = (): string => join(bench.home, 'accounting.jsonl');
  const costs = (...flags: string[]) => bench.deed(['agent', 'costs', ...flags]).envelope.data;
  /** The prompt file uses a model at this price per token. */
  const PRICE = 1e-3;

  beforeAll(async () => {
    server = await startLlmServer();
    bench = createBench(
      { 'work.agents': { fixer: { kind: 'claude', argv: ['./claude', '-p'] } } },
      { ownHome: true },
    );
    bench.write('claude', scriptedClaude(['echo tea > tea.txt']));
    chmodSync(join(bench.tree, 'claude'), 0o755);
    bench.write('fix.ai', '---\nmodels: p/m\ntoolingTransport: native\n---\nYou fix things.\n');
    const account = join(bench.home, '../account/.ai-agent');
    mkdirSync(account);
    const million = PRICE * 1e6;
    const settings = {
      providers: {
        p: { type: 'openai-compatible', apiKey: 'sk-test-0123456789abcdefghij', baseUrl: `${server.url}/v1` },
      },
      pricing: { p: { m: { input: million, output: million } } },
    };
    writeFileSync(join(account, 'ai-agent.json'), JSON.stringify(settings));
  });
  afterAll(async () => {
    bench.dispose();
    await server.close();
  });

  it('are zero before anything was spent', () => {
    expect(costs()).toMatchObject({ cost_usd: 0, requests: 0, runs: 0, unpriced: 0, models: [] });
  });

  it('count the requests of sessions', () => {
    addSession(bench);
    const { cost_usd: cost, requests, runs, models } = costs();
    expect(cost).toBeCloseTo(0.0121 + 0.004 + 0.0193 + 0.0088, 9);
    expect({ requests, runs }).toEqual({ requests: 5, runs: 0 });
    expect(models).toMatchObject([
      { model: 'scripted/sonnet', uses: 5, tokens: { input: expect.any(Number) } },
    ]);
  });

  it('count work items once, by their requests, or by what their agent reports', async () => {
    const before = costs().cost_usd;
    scriptModel(
      server,
      [{ calls: [['write', { path: 'new.txt', content: 'new' }]] }, { report: 'Done.' }],
      'm',
    );
    const { envelope } = await bench.workAsync([
      item('built-in', 'Add a file.', { agent_id: 'fix.ai' }),
      item('claude', 'Make tea.', { agent_id: 'fixer' }),
    ]);
    expect(envelope.ok).toBe(true);
    const { cost_usd: cost, requests, runs, models } = costs();
    expect({ requests, runs }).toEqual({ requests: 7, runs: 1 });
    expect(models).toContainEqual({
      model: 'claude-test-1',
      uses: 1,
      tokens: expect.any(Object),
      cost_usd: 0.01,
    });
    const own = models.find(({ model }: { model: string }) => model === 'p/m');
    expect(own).toMatchObject({ uses: 2 });
    expect(own.cost_usd).toBeCloseTo(PRICE * (own.tokens.input + own.tokens.output), 6);
    expect(cost).toBeCloseTo(before + own.cost_usd + 0.01, 6);
  });

  it.runIf(LONG)('count what an item has spent when its job is killed', async () => {
    const { requests } = costs();
    const plan = join(bench.gate, 'killed.json');
    writeFileSync(plan, JSON.stringify(item('killed', 'Add a file.', { agent_id: 'fix.ai' })));
    const options = { home: bench.home, cwd: bench.tree, env: { HOME: join(bench.home, '../account') } };
    const preview = await bench.deedAsync(['work', 'run', plan, '--dry-run']);
    const token = String(preview.envelope.data.confirm_token);
    const sent = server.requests.length;
    server.hangAfter(sent + 1);
    const child = startDeed(['work', 'run', plan, '--confirm', token], options);
    while (server.requests.length < sent + 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await killNow(child);
    server.hangAfter(Number.POSITIVE_INFINITY);
    expect(costs().requests).toBe(requests + 1);
  });

  it('count only what was spent since a time', () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    expect(costs('--since', tomorrow)).toMatchObject({ since: tomorrow, cost_usd: 0, requests: 0, runs: 0 });
    expect(costs('--since', '2026-01-01T00:00:00Z').cost_usd).toBe(costs().cost_usd);
  });

  it('include parts of the accounting that were set aside, and name lines that cannot be read', () => {
    const { requests } = costs();
    writeFileSync(join(bench.home, 'accounting-20260101T000000.jsonl.gz'), gzipSync(readFileSync(ledger())));
    rmSync(ledger());
    appendFileSync(ledger(), '{"type":"llm","timest');
    const { envelope, stderr } = bench.deed(['agent', 'costs']);
    expect(envelope.data.requests).toBe(requests);
    expect(stderr).toContain('1 lines or files of the accounting cannot be read and are not counted.');
  });

  it('count the rest if a part is cut, and do not wait for a named pipe', () => {
    const { requests } = costs();
    writeFileSync(join(bench.home, 'accounting-20260102T000000.jsonl.gz'), gzipSync('{}\n').subarray(0, 12));
    rmSync(ledger());
    execFileSync('mkfifo', [ledger()]);
    const { envelope, stderr } = bench.deed(['agent', 'costs']);
    expect(envelope.data?.requests).toBe(requests);
    expect(stderr).toContain('1 lines or files of the accounting');
  });
});
