import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { startLlmServer, type LlmServer } from '../fixtures/llm-server.ts';
import { executable, ROOT } from '../fixtures/run-deed.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { LONG } from '../fixtures/start-node.ts';

/** Runs docs/agent-cookbook.md: its files as written, its commands, and what it says they print. */
const PAGE = readFileSync(join(ROOT, 'docs/agent-cookbook.md'), 'utf8');
const blocks = (language: string): Map<string, string> =>
  new Map(
    [...PAGE.matchAll(new RegExp(`^\`\`\`${language} (\\S+)\\n([\\s\\S]*?)^\`\`\`$`, 'gmu'))].map(
      ([, name = '', content = '']) => [name, content],
    ),
  );
const FILES = new Map([...blocks('json'), ...blocks('yaml')]);

interface Seen {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
}
const textOf = ({ messages }: Seen): string => JSON.stringify(messages);
/** Returns whether the request is of the agent with this system prompt, after so many tool results. */
const step =
  (system: string, results: number) =>
  (request: Seen): boolean =>
    JSON.stringify(request.messages[0]).includes(system) &&
    request.messages.filter(({ role }) => role === 'tool').length === results;

/** Returns a report in the tag that the request asks for. */
function report(request: Seen, content: string): { content: string } {
  const nonce = /<ai-agent-([0-9a-f]{8})-FINAL/u.exec(textOf(request))?.[1];
  return {
    content: `<ai-agent-${nonce}-FINAL tool="agent__final_report">${content}</ai-agent-${nonce}-FINAL>`,
  };
}

/** Answers like a model would: calls the tools, and reports only what they returned. */
function script({ mock }: LlmServer): void {
  const read = { name: 'files__read_text_file', arguments: '{"path":"server.js"}' };
  const callTools = (system: string, ...toolCalls: { name: string; arguments: string }[]): void => {
    mock.on({ predicate: step(system, 0) }, { toolCalls });
  };
  const reportIf = (needle: string, system: string, results: number, content: string): void => {
    mock.on({ predicate: step(system, results) }, (request: Seen) =>
      report(request, textOf(request).includes(needle) ? content : `I did not see ${needle}.`),
    );
  };
  callTools('You answer questions about the code', read);
  reportIf(
    'listen(8080)',
    'You answer questions about the code',
    1,
    'The server uses port 8080 (server.js, line 1).',
  );
  callTools('You find facts', read);
  reportIf('listen(8080)', 'You find facts', 1, 'server.js: port 8080');
  callTools('You read the issue', { name: 'rest__issue', arguments: '{"number":7}' });
  reportIf('Use port 8080', 'You read the issue', 1, 'Issue 7 asks for port 8080.');
  callTools(
    'You lead a team',
    { name: 'agent__researcher', arguments: '{"prompt":"Which port does the server use?"}' },
    { name: 'agent__issues', arguments: '{"number":7}' },
  );
  reportIf('Issue 7 asks', 'You lead a team', 2, 'Yes: the issue asks for port 8080, and server.js uses it.');
  callTools('You review diffs', {
    name: 'rest__comment',
    arguments: '{"file":"server.js","line":1,"text":"keep the port"}',
  });
  reportIf('Use port 8080', 'You review diffs', 1, '{"verdict":"request_changes","findings":1}');
  reportIf(
    'does not start',
    'You classify bug reports',
    0,
    '{"severity":"high","component":"server","duplicate_of":null}',
  );
}

describe.runIf(LONG)('the cookbook', () => {
  const place = temporaryFolder('cookbook');
  let llm: LlmServer;
  let tracker: Server;
  let env: Record<string, string>;
  const trackerRequests: { path: string; authorization: string | undefined; body: string }[] = [];

  beforeAll(async () => {
    llm = await startLlmServer();
    script(llm);
    tracker = createServer((request, response) => {
      void (async () => {
        const { url = '', headers } = request;
        trackerRequests.push({ path: url, authorization: headers.authorization, body: await text(request) });
        response.end('{"number":7,"title":"Use port 8080"}');
      })();
    });
    await new Promise<void>((resolve) => {
      tracker.listen(0, '127.0.0.1', resolve);
    });
    for (const [name, content] of FILES) {
      mkdirSync(dirname(join(place.path, name)), { recursive: true });
      writeFileSync(join(place.path, name), content);
    }
    writeFileSync(join(place.path, 'server.js'), 'listen(8080);\n');
    // npx finds the tool server in the project instead of downloading it.
    writeFileSync(join(place.path, 'package.json'), '{"private":true}\n');
    symlinkSync(join(ROOT, 'node_modules'), join(place.path, 'node_modules'));
    const bin = join(place.path, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'ai-agent'), `#!/bin/sh\nexec '${executable('ai-agent')[0]}' "$@"\n`);
    chmodSync(join(bin, 'ai-agent'), 0o755);
    env = {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: place.path,
      LLM_URL: `${llm.url}/v1`,
      LLM_KEY: 'key-of-the-test-0815',
      TRACKER_URL: `http://127.0.0.1:${(tracker.address() as AddressInfo).port}`,
      TRACKER_TOKEN: 'token-of-the-test-4711',
    };
  });
  afterAll(async () => {
    await llm.close();
    tracker.close();
    place.dispose();
  });

  it.each([...blocks('sh').keys()])('%s prints what the page says', async (name) => {
    const command = blocks('sh').get(name) ?? '';
    const { stdout } = await promisify(execFile)('bash', ['-c', `set -e\n${command}`], {
      cwd: place.path,
      env,
    });
    expect(stdout).toBe(blocks('text').get(name));
  });

  it('sends its key and its token only where they belong', () => {
    const authorization = 'Bearer token-of-the-test-4711';
    const comment = '{"file":"server.js","line":1,"text":"Review: keep the port"}';
    expect(trackerRequests).toEqual([
      { path: '/issues/7', authorization, body: '' },
      { path: '/comments', authorization, body: comment },
    ]);
    expect(llm.requests.every(({ headers }) => headers.authorization === 'Bearer key-of-the-test-0815')).toBe(
      true,
    );
  });

  it('accounts for all agents of the team', () => {
    const lines = readFileSync(join(place.path, 'usage.jsonl'), 'utf8').trim().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as { callPath: string; originTxnId: string });
    expect(new Set(entries.map(({ callPath }) => callPath))).toEqual(
      new Set(['lead', 'lead->researcher', 'lead->issues']),
    );
    expect(new Set(entries.map(({ originTxnId }) => originTxnId)).size).toBe(1);
  });

  it('has files that match the published JSON Schemas', () => {
    const ajv = new Ajv2020({ strict: false });
    const schema = (name: string): object =>
      JSON.parse(readFileSync(join(ROOT, `schemas/${name}.schema.json`), 'utf8')) as object;
    const [isConfig, isPrompt] = [ajv.compile(schema('ai-agent')), ajv.compile(schema('prompt-file'))];
    for (const [name, content] of FILES) {
      const check = name.endsWith('.json') ? isConfig : isPrompt;
      const head = content.split(/^---$/mu)[1] ?? '';
      const value: unknown = name.endsWith('.json') ? JSON.parse(content) : parseYaml(head);
      expect([name, check(value), check.errors]).toEqual([name, true, null]);
      expect(check({ ...(value as object), maxTruns: 3 })).toBe(false);
    }
  });
});
