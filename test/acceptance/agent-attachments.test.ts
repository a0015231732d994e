import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import type * as Library from 'deed-cli/agent';
import { agentTest, type AgentFixtures } from '../fixtures/agent-test.ts';
import { aiAgent, mcpServer } from '../fixtures/run-ai-agent.ts';
import { ROOT } from '../fixtures/run-deed.ts';
import { agentHere, confirmedHere } from '../fixtures/run-here.ts';
import { scriptModel, type ModelStep } from '../fixtures/script-model.ts';
import { rowsOf } from '../fixtures/start-node.ts';

/** Files for a task, and images of tools. */
const test = agentTest.extend<{ files: string }>({
  // oxlint-disable-next-line no-empty-pattern -- the format that vitest requires
  files: async ({}, use) => {
    const web = createServer((request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/photo.png' }).end();
      else if (request.url === '/photo.png') response.end(PNG);
      else if (request.url === '/large') response.end(Buffer.alloc(21 * 1024 * 1024));
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => {
      web.listen(0, '127.0.0.1', resolve);
    });
    await use(`http://127.0.0.1:${(web.address() as AddressInfo).port}`);
    web.close();
  },
});

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

function configure({ server, folder }: AgentFixtures, steps: ModelStep[], accepts?: string[]): void {
  folder.write('.ai-agent.json', {
    providers: {
      p: {
        type: 'openai-compatible',
        baseUrl: `${server.url}/v1`,
        models: { m: { ...(accepts && { accepts }) } },
      },
    },
    mcpServers: { every: mcpServer('everything') },
    defaults: { models: ['p/m'], toolingTransport: 'native' },
  });
  writeFileSync(join(folder.path, 'photo.png'), PNG);
  folder.write('notes.txt', 'The sky is green.');
  scriptModel(server, [...steps, { report: 'Done.' }], 'm');
}

const PROMPTS = ['You see.', 'Look.'];
const request = ({ server }: AgentFixtures, index = 0): string =>
  JSON.stringify(server.requests[index]?.body);
const image = PNG.toString('base64');

describe.concurrent('attachments', () => {
  test('are images, documents and text, from paths and URLs', async ({ server, folder, files }) => {
    configure({ server, folder }, [], ['image']);
    const attach = ['--attach', `photo.png,notes.txt,${files}/moved`];
    const run = await aiAgent([...PROMPTS, ...attach, '--allow-private-urls'], { folder });
    expect([run.stdout, run.code]).toEqual(['Done.\n', 0]);
    const sent = request({ server, folder });
    expect(sent.split(image)).toHaveLength(3);
    expect(sent).toMatch(/<file-[0-9a-f]{16} name=\\\\?"notes\.txt\\\\?">\\\\?nThe sky is green/u);
  });

  test('are refused if they come from a private address, are too large, or have another type', async ({
    server,
    folder,
    files,
  }) => {
    configure({ server, folder }, [], ['image']);
    folder.write('program', '\u0000\u0001');
    const attach = async (...argv: string[]): Promise<string> => {
      const run = await agentHere([...PROMPTS, '--attach', ...argv], { folder });
      return `${run.code} ${run.stdout}${run.stderr}`;
    };
    const host = files.replace('127.0.0.1', 'localhost');
    const answers = await Promise.all([
      attach(`${files}/photo.png`),
      attach(`${host}/photo.png`),
      attach(`${files}/large`, '--allow-private-urls'),
      attach('ftp://example.com/x'),
      attach('program'),
      attach('absent.png'),
    ]);
    const problems = [
      '127.0.0.1 is not public',
      'localhost \\((?:127|::)',
      '20971520 bytes',
      'only http',
      'UTF-8',
      'not exist',
    ];
    for (const [index, problem] of problems.entries())
      expect(answers[index]).toMatch(new RegExp(`^4 .*${problem}`, 'su'));
    expect(server.requests).toEqual([]);
  });

  test('are refused if no model accepts them', async ({ server, folder }) => {
    configure({ server, folder }, []);
    const run = await agentHere([...PROMPTS, '--attach', 'photo.png'], { folder });
    expect([run.code, run.stderr]).toEqual([4, expect.stringContaining('accepts')]);
  });

  test('are bound to the confirmation and stay in the stored session', async ({ server, folder }) => {
    configure({ server, folder }, [{ report: 'Done.' }], ['image']);
    const options = { cwd: folder.path, home: folder.home };
    const config = ['--config', '.ai-agent.json'];
    const run = await confirmedHere(
      ['agent', 'run', ...PROMPTS, '--attach', 'photo.png', ...config],
      options,
    );
    expect(run.envelope).toMatchObject({ ok: true, data: { report_text: 'Done.' } });
    const id = String(run.envelope.data.session_id);
    writeFileSync(join(folder.path, 'photo.png'), 'changed');
    const next = [
      'agent',
      'run',
      '--resume',
      id,
      'And now?',
      '--attach',
      'notes.txt',
      '--allow-private-urls',
    ];
    expect((await confirmedHere(next, options)).envelope).toMatchObject({ data: { report_text: 'Done.' } });
    const last = request({ server, folder }, server.requests.length - 1);
    expect(last.split(image)).toHaveLength(2);
    expect(last).toContain('The sky is green.');
  });

  test('may be given as content in the library', async ({ server, folder }) => {
    configure({ server, folder }, [], ['image']);
    const { openAgent } = (await import(join(ROOT, 'dist/lib/agent.js'))) as typeof Library;
    const agent = await openAgent({
      systemPrompt: 'You see.',
      userPrompt: 'Look.',
      attachments: [{ mediaType: 'image/png', data: image }],
      cwd: folder.path,
      env: { HOME: folder.home },
    });
    expect((await agent.createSession({}).run()).success).toBe(true);
    expect(request({ server, folder })).toContain(image);
  });
});

describe.concurrent('an image of a tool', () => {
  const steps: ModelStep[] = [{ calls: [['every__get-tiny-image', {}]] }];

  // The tests of the providers send both without a tool server.
  test.for(
    rowsOf([
      ['is sent to a model that accepts images', ['image'], 1],
      ['is described to another model', [], 0],
    ]),
  )('%s', async ([, accepts, images], { server, folder }) => {
    configure({ server, folder }, steps, [...accepts]);
    const run = await agentHere([...PROMPTS, '--tools', 'every'], { folder });
    expect([run.stdout, run.code]).toEqual(['Done.\n', 0]);
    const sent = request({ server, folder }, 1);
    expect(sent.match(/data:image\/png;base64,/gu) ?? []).toHaveLength(images);
    expect(sent).toContain('[image image/png,');
  });
});
