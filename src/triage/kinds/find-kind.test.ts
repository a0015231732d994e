import { expect, test } from 'vitest';
import { DEFAULT_PARAMETERS } from '../parameters/load-parameters.ts';
import { createKindFinder } from './find-kind.ts';
import { cpuTimeMs } from '../../system/cpu-time-ms.ts';

const find = createKindFinder(DEFAULT_PARAMETERS);

test.each([
  ['npm exec @modelcontextprotocol/server-filesystem /x', 'tool_server'],
  ['node /home/u/.npm/_npx/9/node_modules/.bin/mcp-server-github', 'tool_server'],
  ['node /x/node_modules/@modelcontextprotocol/server-memory/dist/index.js', 'tool_server'],
  ['npx -y @upstash/context7-mcp@latest', 'tool_server'],
  ['/usr/bin/python3 /home/ada/.cache/uv/bin/mcp-server-git', 'tool_server'],
  ['uvx mcp-server-fetch', 'tool_server'],
  ['uv tool run mcp-server-fetch', 'tool_server'],
  ['python -m mcp_server_git', 'tool_server'],
  ['sh -c mcp-server-github', 'tool_server'],
  ['python3 /src/weather-mcp/server.py', 'tool_server'],
  ['node typescript-language-server --stdio', 'language_server'],
  ['/usr/bin/gopls -mode=stdio', 'language_server'],
  ['node /x/node_modules/typescript/lib/tsserver.js --cancellationPipeName x', 'language_server'],
  ['node /x/node_modules/jest-worker/build/workers/processChild.js', 'test_worker'],
  ['node (vitest 3)', 'test_worker'],
  ['/tmp/go-build42/b001/pkg.test -test.run=X', 'test_worker'],
  ['node /x/node_modules/.bin/tsc --watch', 'watcher'],
  ['node --watch server.js', 'watcher'],
  ['esbuild a.js --watch=forever', 'watcher'],
  ['vitest --watch', 'watcher'],
  ['node /x/node_modules/.bin/tsx watch app.ts', 'watcher'],
  ['jest --watchAll', 'watcher'],
  ['inotifywait -m in', 'watcher'],
  ['/home/u/.cargo/bin/bacon', 'watcher'],
  ['nil', 'language_server'],
  ['npm exec', 'helper'],
  ['node --conditions node /x/node_modules/vitest/dist/workers/forks.js', 'test_worker'],
  ['nodemon app.js', 'watcher'],
  ['npm run dev', 'helper'],
  ['/x/node_modules/@esbuild/linux-x64/bin/esbuild --service=0.28.2 --ping', 'helper'],
  ['/opt/chrome/chrome --headless=new --user-data-dir=/tmp/p', 'browser'],
])('%s is of the kind %s', (command, name) => {
  expect(find(command.split(' '), 'comm')?.name).toBe(name);
});

test('a worker of execnet is recognized by its code', () => {
  expect(find(['python3', '-u', '-c', 'from execnet import gateway_base'], 'python3')?.name).toBe(
    'test_worker',
  );
});

test.each([
  'vim /src/mcp-server-notes/index.ts',
  'less mcp-server.log',
  'tail -f /var/log/mcp-server-git.log',
  'rsync -a /src/mcp-server-x backup:',
  'git clone https://example.com/mcp-server-git',
  'npm install @modelcontextprotocol/sdk',
  'python3 -m pytest tests/mcp_server_test.py',
  'bash /src/mcp-server-notes/deploy',
  'jupyter-lab',
  'python3 -m ipykernel_launcher -f x.json',
  'tmux',
  'sqlite3 notes.db',
  'go build ./...',
  'cargo watch -x run',
  'java -cp x org.gradle.launcher.daemon.bootstrap.GradleDaemon 8.5',
  '-bash',
  'python3',
  'claude',
  'jest -w 2',
  'gunicorn -w 4 app:app',
])('%s is not a program that serves only its owner', (command) => {
  expect(find(command.split(' '), 'comm')?.role).not.toBe('owner_bound');
});

test.each([
  'python3 /home/u/mcp-server-notes/scripts/train.py',
  'node /srv/app/server.js',
  'my-program --mcp-server-x',
  'node job.js -w 4',
  'node job.js -m models/big',
  'node stocks.js watch AAPL',
  'bun run job.ts -w 4',
  'node app.js --worker',
  'node app.js --worker=emails',
  'node test-worker.js',
  'node hls.js',
  'python3 /srv/metals/main.py',
  'python3 reflex.py',
  './soak.test -test.timeout=0',
  'entr -n make',
  'node -e console.log(1)',
  'firefox /tmp/page.html',
  'constructor x',
  '__proto__ x',
])('%s is of an unknown kind', (command) => {
  expect(find(command.split(' '), 'comm')).toBeUndefined();
});

test('no pattern takes long over a hostile command line', () => {
  const hostile = [
    'a-'.repeat(3000),
    'mcp-'.repeat(1000),
    '--'.repeat(2000),
    '/x'.repeat(2000),
    'chrome'.repeat(500),
  ];
  const before = cpuTimeMs();
  for (const command of hostile) find(['node', command, command], 'x');
  expect(cpuTimeMs() - before).toBeLessThan(500);
});
