import { expect, test } from 'vitest';
import { DEFAULT_PARAMETERS } from '../parameters/load-parameters.ts';
import { createSignatureMatcher } from './match-signature.ts';

const match = createSignatureMatcher(DEFAULT_PARAMETERS);

test.each([
  ['npm exec @modelcontextprotocol/server-filesystem /x', 'mcp_server'],
  ['node /home/u/.npm/_npx/9/node_modules/.bin/mcp-server-github', 'mcp_server'],
  ['/usr/bin/python3 /home/ada/.cache/uv/bin/mcp-server-git', 'mcp_server'],
  ['uvx some-tool', 'wrapper'],
  ['npm exec cowsay', 'wrapper'],
  ['claude', 'agent'],
  ['/usr/local/bin/codex exec', 'agent'],
  ['node /x/node_modules/vite/bin/vite.js', 'dev_server'],
  ['next-server (v15)', 'dev_server'],
  ['node /x/node_modules/jest-worker/build/workers/processChild.js', 'test_runner'],
  ['node (vitest 3)', 'test_runner'],
  ['python -m pytest -x', 'test_runner'],
  ['/tmp/go-build42/b001/pkg.test -test.run=X', 'test_runner'],
  ['/opt/chrome/chrome --headless=new --user-data-dir=/tmp/p', 'browser'],
  ['node typescript-language-server --stdio', 'language_server'],
  ['gopls', 'language_server'],
  ['java -cp x org.gradle.launcher.daemon.bootstrap.GradleDaemon 8.5', 'build_daemon'],
  ['-bash', 'shell'],
  ['/bin/sh -c sleep', 'shell'],
  ['vim notes.md', 'editor'],
  ['/usr/bin/etcd', 'database'],
  ['rsync -a a b', 'job'],
  ['my-program --mcpu=x86', 'unknown'],
  ['/srv/claude-notes/run', 'unknown'],
  ['node bashful.js', 'unknown'],
])('%s is of the kind %s', (command, kind) => {
  expect(match(command.split(' '), 'comm')?.kind ?? 'unknown').toBe(kind);
});

test('a process without arguments is matched by its name', () => {
  expect(match([], 'claude')?.name).toBe('claude-code');
  expect(match(null, 'gopls')?.name).toBe('language-server');
});

test('no pattern takes long over a hostile command line', () => {
  const hostile = [
    'a-'.repeat(3000),
    'mcp '.repeat(1000),
    '--'.repeat(2000),
    '/x'.repeat(2000),
    'chrome'.repeat(500),
  ];
  for (const command of hostile) for (let round = 0; round < 20; round += 1) match([command], 'x');
});
