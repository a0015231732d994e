import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/fixtures/temporary-folder.ts';
import { loadConfig } from './config/load-config.ts';
import { planAgent, type AgentPlan } from './plan-agent.ts';

/** Plans agent `one`, which calls `two`, which calls `three`; none sets `stream`. */
async function planThree(settings: { readonly stream?: boolean }): Promise<AgentPlan> {
  const folder = temporaryFolder('plan');
  try {
    const config = loadConfig({
      locations: {
        cwd: folder.path,
        binaryFolder: folder.path,
        userHome: folder.path,
        systemFolder: folder.path,
      },
      env: {},
      defaultConcurrency: 4,
      trust: { mode: 'warn', isTrusted: () => true },
    });
    const facts = { now: () => new Date(0), timezone: 'UTC', user: 'u', hostname: 'h', os: 'o', arch: 'a' };
    return await planAgent(
      {
        agentId: 'one',
        systemPrompt: 'One.',
        userPrompt: 'Continue.',
        settings: { models: ['openai/m'], ...settings },
        agents: ['/agents/two.ai'],
      },
      {
        config,
        facts,
        readPrompt: async (path) => ({
          path,
          folder: '/agents',
          body: path,
          frontmatter: path.endsWith('two.ai') ? { agents: ['three.ai'] } : {},
        }),
      },
    );
  } finally {
    folder.dispose();
  }
}

const streams = (plan: AgentPlan): boolean[] => [plan.config.stream, ...plan.children.flatMap(streams)];

describe('sub-agents', () => {
  it('do not stream when the call disables streaming', async () => {
    expect(streams(await planThree({ stream: false }))).toEqual([false, false, false]);
  });

  it('stream by default, and do not inherit the output format of their caller', async () => {
    const plan = await planThree({});
    expect(streams(plan)).toEqual([true, true, true]);
    expect(plan.children[0]?.config.output.format).toBe('sub-agent');
  });
});
