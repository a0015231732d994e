import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type * as Library from 'deed-cli/agent';
import { agentTest, type AgentFixtures } from '../fixtures/agent-test.ts';
import { aiAgent } from '../fixtures/run-ai-agent.ts';
import { ROOT } from '../fixtures/run-deed.ts';
import { agentHere, confirmedHere } from '../fixtures/run-here.ts';
import { scriptModel, type ModelStep } from '../fixtures/script-model.ts';

/** Skills that a model loads on demand, and the AGENTS.md files of the tree. */
const test = agentTest;

const load = (name: string, file?: string): ModelStep => ({
  calls: [['agent__load_skill', { name, ...(file !== undefined && { file }) }]],
});

function configure({ server, folder }: AgentFixtures, ...steps: ModelStep[]): void {
  folder.write('.ai-agent.json', {
    providers: { p: { type: 'openai-compatible', baseUrl: `${server.url}/v1` } },
    defaults: { models: ['p/m'], toolingTransport: 'native' },
  });
  folder.write('skills/sort/SKILL.md', '---\nname: sort\ndescription: Sorts lists.\n---\nSort with care.\n');
  folder.write('skills/sort/more/table.md', 'A table.');
  folder.write('skills/bake/SKILL.md', '---\ndescription: Bakes bread.\n---\nUse flour.\n');
  folder.write('skilled.ai', '---\nskills: skills\n---\nYou know things.\n');
  scriptModel(server, [...steps, { report: 'Done.' }], 'm');
}

const toolMessages = ({ server }: AgentFixtures): readonly string[] =>
  ((server.requests.at(-1)?.body.messages ?? []) as { role: string; content: string }[])
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => content);
const systemPrompt = ({ server }: AgentFixtures): string =>
  String(server.requests[0]?.body.messages[0].content);

describe.concurrent('skills', () => {
  test('are listed to the model and loaded on demand, with their files', async ({ server, folder }) => {
    configure({ server, folder }, load('sort'), load('sort', 'more/table.md'), load('bake'));
    const run = await aiAgent(['skilled.ai', 'Sort.'], { folder });
    expect([run.stdout, run.code]).toEqual(['Done.\n', 0]);
    const first = JSON.stringify(server.requests[0]?.body);
    expect(first).toContain('- sort: Sorts lists.');
    expect(first).toContain('- bake: Bakes bread.');
    expect(first).not.toContain('Sort with care.');
    expect(toolMessages({ server, folder })).toEqual(['Sort with care.\n', 'A table.', 'Use flour.\n']);
  });

  test('give no file outside their folder', async ({ server, folder }) => {
    configure(
      { server, folder },
      load('sort', '../../.ai-agent.json'),
      load('sort', 'link'),
      load('sort', 'none'),
    );
    symlinkSync('/etc/passwd', join(folder.path, 'skills/sort/link'));
    expect((await agentHere(['skilled.ai', 'Sort.'], { folder })).code).toBe(0);
    expect(toolMessages({ server, folder })).toEqual([
      '(tool failed: ../../.ai-agent.json is outside the folder of the skill sort)',
      '(tool failed: link is outside the folder of the skill sort)',
      '(tool failed: the skill sort has no file none)',
    ]);
  });

  test('can be given on the command line', async ({ server, folder }) => {
    configure({ server, folder }, load('bake'));
    const options = { home: join(folder.home, '.deed'), cwd: folder.path };
    await confirmedHere(['config', 'trust', '.', '--file', '.ai-agent.json'], options);
    const run = await confirmedHere(
      ['agent', 'run', 'You bake.', 'Bake.', '--skills', 'skills/bake'],
      options,
    );
    expect(run.envelope.data).toMatchObject({ report_text: 'Done.' });
    expect(toolMessages({ server, folder })).toEqual(['Use flour.\n']);
  });

  test.for([
    ['nowhere', 'it contains no SKILL.md'],
    ['bad', 'SKILL.md has no description'],
  ] as const)('that are invalid are refused: %s', async ([path, problem], { server, folder }) => {
    configure({ server, folder });
    folder.write('bad/SKILL.md', 'Only text.');
    const run = await agentHere(['You bake.', 'Bake.', '--skills', path], { folder });
    expect([run.code, run.stderr]).toEqual([4, expect.stringContaining(problem)]);
  });
});

describe.concurrent('AGENTS.md', () => {
  test('of the tree is part of the system prompt when asked for', async ({ server, folder }) => {
    configure({ server, folder });
    mkdirSync(join(folder.path, '.git'));
    folder.write('AGENTS.md', 'Use tabs.');
    folder.write('inner/AGENTS.md', 'Use spaces.');
    const library = (await import(join(ROOT, 'dist/lib/agent.js'))) as typeof Library;
    const agent = await library.openAgent({
      systemPrompt: 'You write.',
      userPrompt: 'Write.',
      cwd: join(folder.path, 'inner'),
      env: { HOME: folder.home },
      agentsMd: true,
      settings: { models: ['p/m'], toolingTransport: 'native' },
      config: { providers: { p: { type: 'openai-compatible', baseUrl: `${server.url}/v1` } } },
    });
    expect((await agent.createSession({}).run()).success).toBe(true);
    const prompt = systemPrompt({ server, folder });
    expect(prompt.indexOf('Use tabs.')).toBeGreaterThan(prompt.indexOf('You write.'));
    expect(prompt.indexOf('Use spaces.')).toBeGreaterThan(prompt.indexOf('Use tabs.'));
  });

  test.for([
    [['--agents-md'], true],
    [[], false],
  ] as const)('is read with %j: %s', async ([flags, isRead], { server, folder }) => {
    configure({ server, folder });
    folder.write('AGENTS.md', 'Use tabs.');
    expect((await agentHere(['You write.', 'Write.', ...flags], { folder })).code).toBe(0);
    expect(systemPrompt({ server, folder }).includes('Use tabs.')).toBe(isRead);
  });
});
