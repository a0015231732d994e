import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAgentApi, type AgentApi } from '../fixtures/agent-api.ts';
import { installAgents } from '../fixtures/agent-programs.ts';
import { confirmed, createHome, ROOT, waitFor, type Run } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

/** How people start a session with a prompt. Codex asks a person to trust new hooks, so its flag stands for that answer. */
const SESSIONS: Readonly<Record<string, (prompt: string, api: string) => readonly string[]>> = {
  claude: (prompt) => ['claude', '-p', prompt],
  codex: (prompt, api) => {
    const flags = ['--skip-git-repo-check', '--dangerously-bypass-hook-trust', '-m', 'test-model'];
    return ['codex', 'exec', ...flags, '-c', `openai_base_url="${api}/v1"`, prompt];
  },
  gemini: (prompt) => ['gemini', '-p', prompt, '--approval-mode', 'yolo'],
  opencode: (prompt) => ['opencode', 'run', prompt],
};

describe.skipIf(!LONG)('after setup, the real program', () => {
  let api: AgentApi;
  let programs = '';
  beforeAll(async () => {
    api = await startAgentApi();
    programs = await installAgents(
      '@anthropic-ai/claude-code',
      '@openai/codex',
      '@google/gemini-cli',
      'opencode-ai',
    );
  }, 600_000);
  afterAll(() => api?.close());

  it.each([
    ['claude', 'plugin', 'validate', ROOT],
    ['gemini', 'extensions', 'validate', join(ROOT, 'extensions/gemini')],
  ])('%s %s %s accepts our manifest', async (...argv) => {
    const home = createHome();
    const env = { PATH: `${join(programs, 'node_modules/.bin')}:${process.env.PATH}`, HOME: home.path };
    const [program, ...rest] = argv;
    const { code, stdout, stderr } = await waitFor(spawn(program, rest, { cwd: home.path, env }));
    home.dispose();
    expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, '']);
  });

  it.each(Object.keys(SESSIONS))(
    '%s starts its second session with what the first one did, and connects to the MCP server',
    async (host) => {
      const home = createHome();
      const project = join(home.path, 'project');
      mkdirSync(project);
      // The sign-in of the user, which setup keeps.
      mkdirSync(join(home.path, '.gemini'));
      const signIn = '{ "security": { "auth": { "selectedType": "gemini-api-key" } } }';
      writeFileSync(join(home.path, '.gemini/settings.json'), signIn);
      const env = {
        PATH: `${join(programs, 'node_modules/.bin')}:${process.env.PATH}`,
        HOME: home.path,
        DEED_HOME: join(home.path, '.deed'),
        ANTHROPIC_BASE_URL: api.url,
        ANTHROPIC_API_KEY: 'a-key-for-tests',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        CODEX_API_KEY: 'a-key-for-tests',
        GEMINI_API_KEY: 'a-key-for-tests',
        GOOGLE_GEMINI_BASE_URL: api.url,
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          model: 'anthropic/claude-sonnet-4-5',
          provider: { anthropic: { options: { baseURL: `${api.url}/v1` } } },
        }),
      };
      const start = ([program = '', ...argv]: readonly string[]): Promise<Run> =>
        waitFor(spawn(program, argv, { cwd: project, env, timeout: 120_000 }));
      const session = async (prompt: string, answer: string): Promise<string> => {
        const before = api.requests.length;
        api.script({ say: answer });
        const { code, stdout, stderr } = await start(SESSIONS[host]?.(prompt, api.url) ?? []);
        expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, '']);
        return JSON.stringify(api.requests.slice(before));
      };
      try {
        const options = { home: home.path, env };
        expect(confirmed(['setup', '--hosts', host], options).envelope.data.ready).toBe(true);
        await session(
          'Paint the fence heron-green.',
          'Primed. The next step is the second coat, walrus-white.',
        );
        const second = await session('What is next?', 'The second coat.');
        for (const told of [
          'heron-green',
          'walrus-white',
          'Memory and work (deed)',
          'must be remembered or resumed',
        ])
          expect(second).toContain(told);
        const { stdout, stderr } = await start([host, 'mcp', 'list']);
        expect(stdout + stderr).toMatch(/deed.*(?:connected|enabled)/isu);
        confirmed(['setup', 'undo'], options);
        expect(readFileSync(join(home.path, '.gemini/settings.json'), 'utf8')).toBe(signIn);
      } finally {
        home.dispose();
      }
    },
    400_000,
  );
});
