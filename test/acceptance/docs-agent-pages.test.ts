import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BLOCKS } from '../fixtures/docs/blocks.ts';
import { createAccount, runPage, type Account, type RanLine } from '../fixtures/docs/run-page.ts';
import { startOtlpReceiver } from '../fixtures/otlp-receiver.ts';
import { aiAgent, mcpServer } from '../fixtures/run-ai-agent.ts';
import { ROOT } from '../fixtures/run-deed.ts';
import { LONG } from '../fixtures/start-node.ts';

const blocks = (page: string, language: string): readonly string[] =>
  BLOCKS.filter((block) => block.page === page && block.language === language).map(({ text }) => text);
const stdoutOf = (ran: readonly RanLine[], start: string): readonly string[] =>
  ran.filter(({ line }) => line.startsWith(start)).map(({ stdout }) => stdout);
/** What a program around the pieces of a page has. */
const PROGRAM = `import { openAgent } from 'deed-cli/agent';
const agent = await openAgent({
  systemPrompt: 'You answer.',
  userPrompt: 'Is it fine?',
  cwd: process.cwd(),
  env: process.env,
  config: { providers: { p: { type: 'script', file: 'scenario.json' } } },
  settings: { models: ['p/any'] },
});
const [ask, fill] = [async () => true, async () => ({})];
const [isLate, isRude, shorten] = [() => false, () => false, (messages) => messages];
`;
const promptFile = (head: string): string => `---\nmodels: p/any\n${head}---\nYou work.\n`;

describe.runIf(LONG)('the commands and examples of', () => {
  let account: Account;
  beforeEach(() => {
    account = createAccount('agent-pages');
  });
  afterEach(() => account.dispose());
  const writeJson = (path: string, value: object): void => account.write(path, JSON.stringify(value));

  describe('docs/agents-at-work.md', () => {
    const PAGE = 'docs/agents-at-work.md';
    const [promptOfPage = ''] = blocks(PAGE, '');
    const [planOfPage = ''] = blocks(PAGE, 'yaml');
    const [configOfPage = '', scenarioOfPage = ''] = blocks(PAGE, 'json');
    /** The last run that a command printed. */
    const REPOSITORY = `git init -q . && mkdir -p src && echo one > src/slug.ts && echo one > a.txt
echo '{"scripts":{"test":"grep -rq two a.txt src #"}}' > package.json && git add . && git -c user.name=a -c user.email=a@example.org commit -qm first
run() { cat "$HOME"/lines-of-*/*.out | grep -o 'run_[0-9][0-9a-z]*' | tail -1; }`;

    it('work, with a scripted model', async () => {
      account.write('project/agents/fix.ai', promptOfPage);
      account.write('project/plan.yaml', planOfPage);
      writeJson('.ai-agent/ai-agent.json', {
        providers: { openai: { type: 'script', file: 'scenario.json' } },
      });
      const scenario = scenarioOfPage.replace('a.txt', 'src/slug.ts');
      expect(scenario).not.toBe(scenarioOfPage);
      account.write('project/scenario.json', scenario);
      const ran = await runPage(PAGE, { account, prepare: REPOSITORY, replace: [['run_…', '"$(run)"']] });
      expect(readFileSync(join(account.cwd, 'src/slug.ts'), 'utf8')).toBe('two\n');
      const [shown = ''] = stdoutOf(ran, 'deed work show');
      expect(Object.keys(JSON.parse(shown).data.budget.agent)).toEqual(
        expect.arrayContaining(['models', 'requests', 'tokens', 'cost_usd']),
      );
      expect(JSON.parse(stdoutOf(ran, 'deed work replay')[0] ?? '').data).toMatchObject({ grade: 'exact' });
    });

    it('have a scenario that a provider of type script replays', async () => {
      account.write('project/agents/fix.ai', promptOfPage.replace('openai/gpt-5', 'replay/any'));
      account.write('project/plan.yaml', planOfPage);
      account.write('.ai-agent/ai-agent.json', configOfPage);
      account.write('project/scenario.json', scenarioOfPage);
      await runPage(PAGE, { account, prepare: REPOSITORY, replace: [['run_…', '"$(run)"']] });
      expect(readFileSync(join(account.cwd, 'a.txt'), 'utf8')).toBe('two\n');
    });
  });

  describe('docs/agent-runtime.md', () => {
    const PAGE = 'docs/agent-runtime.md';
    const [reportOfPage = ''] = blocks(PAGE, '');
    const [failureOfPage = '', serversOfPage = ''] = blocks(PAGE, 'json');
    const headsOfPage = blocks(PAGE, 'yaml');
    const crm = mcpServer('everything');
    /** Tool servers run in the folder of their configuration. */
    const files = mcpServer('filesystem', '.');

    beforeEach(() => {
      account.write(
        '.local/bin/crm-mcp',
        `#!/bin/sh\nexec '${crm.command}' '${crm.args.join("' '")}'\n`,
        0o755,
      );
      const { mcpServers } = JSON.parse(serversOfPage) as { mcpServers: object };
      writeJson('.ai-agent/ai-agent.json', {
        providers: { p: { type: 'script', file: 'scenario.json', accepts: ['image', 'pdf'] } },
        mcpServers: { ...mcpServers, files, linear: { url: 'http://127.0.0.1:9/mcp' } },
        defaults: { models: ['p/any'] },
      });
      writeJson('hang.json', { steps: [{ hang: true }] });
      const call = (name: string, args: object): object => ({
        steps: [{ toolCalls: [{ name, arguments: args }] }],
      });
      writeJson('write.json', call('files__write_file', { path: 'notes.txt', content: 'x' }));
      writeJson('ask.json', call('crm__trigger-elicitation-request', {}));
      writeJson('report.json', { steps: [{ text: reportOfPage.replaceAll('1f0c9a3e', 'NONCE') }] });
      account.write('project/write.ai', promptFile(`tools: files\n${headsOfPage[0]}`));
      account.write('project/ask.ai', promptFile('tools: crm\n'));
      account.write('project/research.ai', promptFile(''));
    });

    /** Sessions that were killed, that wait for approval and that wait for an answer. */
    const SESSIONS = `scenario() { cp ~/$1.json ~/project/scenario.json; }
last() { ls -t ~/.deed/sessions/*.jsonl | head -1 | xargs basename -s .jsonl; }
scenario hang; ai-agent 'You fix.' 'Fix the parser.' & pid=$!
while ! grep -q . ~/.deed/sessions/*.jsonl 2>/dev/null; do sleep 0.05; done; sleep 1; kill -9 $pid; wait $pid || true
KILLED=$(last)
scenario write; ai-agent write.ai 'Write.' || true; APPROVED=$(last); sleep 0.1
ai-agent write.ai 'Write.' || true; DENIED=$(last); sleep 0.1
scenario ask; ai-agent ask.ai 'Ask.' || true; ANSWERED=$(last); sleep 0.1
ai-agent ask.ai 'Ask.' || true; DECLINED=$(last)
scenario report`;

    let web: Server;
    beforeEach(async () => {
      web = createServer((_, response) => response.end('%PDF-1.4\n%%EOF\n'));
      await new Promise<void>((resolve) => {
        web.listen(0, '127.0.0.1', resolve);
      });
    });
    afterEach(() => web.close());

    it('work, and the model reports as the page shows', async () => {
      const pdf = `http://127.0.0.1:${(web.address() as AddressInfo).port}/report.pdf --allow-private-urls`;
      const telemetry = await startOtlpReceiver();
      account.write('project/notes.txt', 'Some notes.\n');
      account.write('project/chart.png', Buffer.from(PIXEL, 'base64'));
      const ran = await runPage(PAGE, {
        account,
        prepare: SESSIONS,
        replace: [
          ['6f3c… --approve', '$APPROVED --approve'],
          [/6f3c…(?=.*gets the denial)/u, '$DENIED'],
          ['6f3c… --answer', '$ANSWERED --answer'],
          [/6f3c…(?=.*decline the question)/u, '$DECLINED'],
          ['6f3c…', '$KILLED'],
          ['https://example.com/report.pdf', pdf],
          ['http://localhost:4318', telemetry.url],
        ],
        notRun: { 'deed agent login linear --confirm': 'waits for a browser; agent-login.test.ts signs in' },
      });
      await telemetry.close();
      const [list = ''] = stdoutOf(ran, 'deed agent sessions list');
      expect(JSON.parse(list).data.items).toHaveLength(1);
      const reports = stdoutOf(ran, 'ai-agent').concat(stdoutOf(ran, 'OTEL_'));
      expect(reports).toHaveLength(9);
      expect(new Set(reports)).toEqual(new Set(['Fix the parser first.\n']));
      expect(telemetry.spans.map(({ name }) => name)).toContain('invoke_agent research');
      expect(readFileSync(join(account.home, '.ai-agent/notes.txt'), 'utf8')).toBe('x');
    });

    it('have settings that the program accepts', async () => {
      for (const name of ['skills/build', '../shared/release'])
        account.write(
          `project/${name}/SKILL.md`,
          `---\nname: ${basename(name)}\ndescription: How to\n---\nDo it.\n`,
        );
      account.write('project/scenario.json', '{"steps":[]}');
      for (const head of headsOfPage) {
        account.write('project/try.ai', promptFile(`tools: files\n${head}`));
        const run = await aiAgent(['try.ai', 'x', '--dry-run'], {
          folder: folderOf(account),
          env: account.env,
        });
        expect([head, run.code, run.code === 0 ? '' : run.stderr]).toEqual([head, 0, '']);
      }
    });

    it.each(blocks(PAGE, 'ts').map((text, index) => [index, text] as const))(
      'have a piece of a program that runs: %i',
      (index, text) => {
        mkdirSync(join(account.cwd, 'node_modules'), { recursive: true });
        symlinkSync(ROOT, join(account.cwd, 'node_modules/deed-cli'));
        account.write('project/scenario.json', '{"steps":[{"report":"Fine."}]}');
        const session = text.replace(/^agent\.createSession/u, 'const session = agent.createSession');
        const result = session === text ? '' : 'console.log((await session.run()).success);\n';
        account.write(`project/piece-${index}.mts`, `${PROGRAM}${session}${result}`);
        const argv = ['--disable-warning=ExperimentalWarning', `piece-${index}.mts`];
        const { cwd, env } = account;
        const { stdout, stderr } = spawnSync(process.execPath, argv, { cwd, env, encoding: 'utf8' });
        expect([stderr, stdout]).toEqual(['', result === '' ? '' : 'true\n']);
      },
    );

    it('have the failure report of a session without a report', async () => {
      const read = { name: 'files__read_text_file', arguments: { path: 'a.txt' } };
      writeJson('project/scenario.json', {
        steps: [{ toolCalls: [read] }, { text: 'no JSON' }, { text: 'no JSON' }, { text: 'no JSON' }],
      });
      account.write('.ai-agent/a.txt', 'text\n');
      const argv = ['You read.', 'Read.', '--tools', 'files', '--format', 'json', '--max-turns', '2'];
      const run = await aiAgent(argv, { folder: folderOf(account), env: account.env });
      const [shown, printed] = [failureOfPage, run.stdout].map(
        (text) => JSON.parse(text) as Record<string, unknown>,
      );
      const { text: _text, tool_results: _results, ...same } = shown ?? {};
      expect([run.code, printed]).toEqual([1, expect.objectContaining(same)]);
      expect(Object.keys(printed ?? {})).toEqual(Object.keys(shown ?? {}));
      expect(printed?.tool_results, run.stderr).toEqual([{ tool: read.name, text: expect.any(String) }]);
    });
  });
});

const folderOf = ({ cwd, home }: Account): Parameters<typeof aiAgent>[1]['folder'] => ({
  path: cwd,
  home,
  write: () => '',
  read: () => '',
  dispose: () => undefined,
});

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
