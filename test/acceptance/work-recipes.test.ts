import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAgentApi, type AgentApi } from '../fixtures/agent-api.ts';
import { installAgents } from '../fixtures/agent-programs.ts';
import { ROOT } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';
import { createBench, item, type WorkBench } from '../fixtures/work-bench.ts';

interface Recipe {
  readonly kind: string;
  readonly argv: readonly string[];
  readonly env: readonly string[];
  readonly read_paths?: readonly string[];
}

/** A recipe of the documentation. */
function recipeOf(agent: string): Recipe {
  const page = readFileSync(join(ROOT, 'docs/coding-agents.md'), 'utf8');
  const blocks = [...page.matchAll(/```json\n(.*?)```/gsu)].map(
    ([, text = '']) => JSON.parse(text) as Record<string, Recipe>,
  );
  const found = blocks.find((block) => agent in block)?.[agent];
  if (found === undefined) throw new Error(`no recipe for ${agent}`);
  return found;
}

describe.skipIf(!LONG)('the recipe of the documentation', () => {
  let api: AgentApi;
  let bench: WorkBench;
  beforeAll(async () => {
    api = await startAgentApi();
    const folder = await installAgents('@google/gemini-cli', 'opencode-ai');
    writeFileSync(
      join(folder, 'gemini.json'),
      JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } }),
    );
    // Only tests need another address, and with it a file that names the sign-in or the address.
    const variables = {
      GOOGLE_GEMINI_BASE_URL: api.url,
      GEMINI_CLI_SYSTEM_SETTINGS_PATH: join(folder, 'gemini.json'),
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        model: 'anthropic/claude-sonnet-4-5',
        provider: { anthropic: { options: { baseURL: `${api.url}/v1` } } },
      }),
    };
    const withVariables = ({ env, read_paths = [], ...recipe }: Recipe): Recipe => ({
      ...recipe,
      env: [...env, ...Object.keys(variables)],
      read_paths: [...read_paths, folder],
    });
    bench = createBench(
      {
        'work.agents': {
          gemini: withVariables(recipeOf('gemini')),
          opencode: withVariables(recipeOf('opencode')),
        },
      },
      {
        ownHome: true,
        env: {
          PATH: `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`,
          GEMINI_API_KEY: 'a-key-for-tests',
          ANTHROPIC_API_KEY: 'a-key-for-tests',
          ...variables,
        },
      },
    );
  }, 600_000);
  afterAll(async () => {
    bench?.dispose();
    await api?.close();
  });

  it.each(['gemini', 'opencode'])(
    'runs %s with a scripted model, and its change is promoted',
    async (agent) => {
      bench.reset();
      api.script({ run: `echo ${agent} > a.txt` }, { say: 'Written.' });
      const run = await bench.workAsync(
        item('fix', 'Write your name into a.txt.', {
          agent_id: agent,
          test_command: `grep -q ${agent} a.txt`,
          constraints: { max_files: 3, max_tool_ops: 20, max_delta_size: 20, timeout_ms: 280_000 },
        }),
      );
      expect(run.envelope.error, JSON.stringify(run.envelope.error)).toBeUndefined();
      expect(bench.read('a.txt')).toBe(`${agent}\n`);
      const { run_id } = run.envelope.data.results[0];
      expect(bench.deed(['work', 'log', run_id]).stdout).toContain('Written.');
    },
    400_000,
  );
});
