import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentTest as test, type AgentFixtures } from '../fixtures/agent-test.ts';
import { createRandom } from '../fixtures/fuzz.ts';
import type { InjectedFailure } from '../fixtures/llm-server.ts';
import { FAULTS, HARMLESS, LLM_TIMEOUT_MS, SLOW_FAULTS } from '../fixtures/provider-faults.ts';
import { FAMILY_NAMES, providerAt, type Family } from '../fixtures/provider-families.ts';
import { aiAgent, type AgentFolder, type AgentRun } from '../fixtures/run-ai-agent.ts';
import { LONG } from '../fixtures/start-node.ts';

/** Every provider family with faults on the wire: each session ends with a report, within its limits, and every request is accounted for. */
const KEY = 'sk-test-0123456789abcdefghij';
const ANSWER = 'All is well, and here is the whole of the answer with all of its many words.';

/** Faults that do not depend on streaming. */
const UNSTREAMED = [
  'a 500 of the mock',
  'a dropped connection',
  'a page instead of an answer',
  'JSON null',
  'a 408',
  'a reset in the answer',
];
const SEEDS = 20;

interface Case extends AgentFixtures {
  readonly family: Family;
  readonly faults: readonly InjectedFailure[];
  readonly flags: readonly string[];
}

async function runWith({ server, folder, family, faults, flags }: Case): Promise<AgentRun> {
  folder.write('.ai-agent.json', {
    providers: { p: providerAt(family, server.url, KEY) },
    defaults: { llmTimeoutMs: LLM_TIMEOUT_MS },
  });
  server.mock.onMessage(/./u, { content: ANSWER });
  server.failNext(...faults);
  return aiAgent(['You are a tester.', 'Continue.', '--models', 'p/any', ...flags], { folder });
}

function statuses(folder: AgentFolder): string[] {
  const lines = readFileSync(join(folder.home, '.deed/accounting.jsonl'), 'utf8').trim().split('\n');
  return lines
    .map((line) => JSON.parse(line) as { type: string; status: string })
    .filter(({ type }) => type === 'llm')
    .map(({ status }) => status);
}

/** Ollama is called through the SDK of openai-compatible, so the short suite leaves it out. */
const FAULTY = FAMILY_NAMES.filter((family) => LONG || family === 'anthropic');

describe.concurrent.each(FAULTY)('%s with faults', (family) => {
  test('tries again after each of them, and reports', async ({ server, folder }) => {
    const faults = [...Object.values(FAULTS), ...(LONG ? Object.values(SLOW_FAULTS) : [])];
    const attempts = faults.length + 1;
    const run = await runWith({
      server,
      folder,
      family,
      faults: [...faults, ...Object.values(HARMLESS).slice(0, 1)],
      flags: ['--max-turns', '1', '--max-retries', `${attempts}`],
    });
    expect({ ...run, stderr: '' }).toEqual({ code: 0, stdout: `${ANSWER}\n`, stderr: '' });
    expect(statuses(folder)).toEqual([...faults.map(() => 'failed'), 'ok']);
    expect(server.requests).toHaveLength(attempts);
  });

  // The session does this without its provider, so one family shows it.
  test.runIf(LONG || family === 'anthropic')(
    'reports the failure when no attempt is left',
    async ({ server, folder }) => {
      const faults = UNSTREAMED.map((name) => FAULTS[name] ?? {}) as InjectedFailure[];
      const flags = ['--max-turns', '2', '--max-retries', '3', '--no-stream'];
      const run = await runWith({ server, folder, family, faults, flags });
      expect([run.code, run.stdout.startsWith('The task was not completed: ')]).toEqual([1, true]);
      expect(statuses(folder)).toEqual(UNSTREAMED.map(() => 'failed'));
      expect(server.requests).toHaveLength(UNSTREAMED.length);
    },
  );

  test.runIf(LONG).for(Array.from({ length: SEEDS }, (_, seed) => seed + 1))(
    'keeps its promises with any schedule: seed %i',
    async (seed, { server, folder }) => {
      const below = createRandom(seed);
      const all = Object.values({ ...FAULTS, ...SLOW_FAULTS, ...HARMLESS });
      const faults = Array.from({ length: below(9) }, () => all[below(all.length)]) as InjectedFailure[];
      const [maxTurns, maxRetries] = [below(3) + 1, below(4) + 1];
      const transport = ['native', 'xml-final', 'xml'][below(3)] ?? '';
      const flags = [
        '--max-turns',
        `${maxTurns}`,
        '--max-retries',
        `${maxRetries}`,
        '--transport',
        transport,
      ];
      const startedAt = Date.now();
      const run = await runWith({
        server,
        folder,
        family,
        faults,
        flags: [...flags, below(2) === 0 ? '--stream' : '--no-stream', '--max-duration-ms', '30000'],
      });
      const entries = statuses(folder);
      expect(Date.now() - startedAt).toBeLessThan(40_000);
      expect(entries.length).toBe(server.requests.length);
      expect(entries.length).toBeLessThanOrEqual(maxTurns * maxRetries);
      const succeeded = run.stdout === `${ANSWER}\n`;
      expect([run.code, succeeded || run.stdout.startsWith('The task was not completed: ')]).toEqual([
        succeeded ? 0 : 1,
        true,
      ]);
      expect(run.stdout + run.stderr).not.toMatch(/sk-test-|^\s+at .*:\d+/mu);
    },
  );
});
