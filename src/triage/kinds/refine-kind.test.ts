import { expect, test } from 'vitest';
import { indexProcesses } from '../features/process-index.ts';
import { DEFAULT_PARAMETERS } from '../parameters/load-parameters.ts';
import type { ProcessFacts } from '../process-snapshot.ts';
import { createKindFinder } from './find-kind.ts';
import { refineKind } from './refine-kind.ts';

interface Given {
  readonly command: string;
  readonly environment?: Record<string, string>;
  readonly watchesFiles?: boolean;
  readonly ports?: readonly number[];
  readonly stdin?: 'pipe' | 'terminal';
  readonly readsInput?: boolean;
  readonly leads?: boolean;
}

const find = createKindFinder(DEFAULT_PARAMETERS);

/** Each process is the child of the previous one. */
function kindOf(...chain: readonly Given[]): string | undefined {
  const processes = chain.map(
    ({ command, environment = {}, watchesFiles = false, ports = [], stdin = 'pipe', ...given }, position) =>
      ({
        pid: position + 10,
        ppid: position + 9,
        session: given.leads === true ? position + 10 : 1,
        tty: 0,
        state: 'S',
        comm: 'comm',
        startTicks: position,
        kernel: false,
        command: command.split(' '),
        deep: {
          environment,
          listeningPorts: ports,
          stdio: [{ kind: stdin }],
          use: { watchesFiles, readsInput: given.readsInput ?? false },
        },
      }) as unknown as ProcessFacts,
  );
  const [first] = processes;
  if (first === undefined) throw new Error('no process was given');
  return refineKind(first, find, indexProcesses(processes, DEFAULT_PARAMETERS.names, false))?.name;
}

test('a build that watches files is a watcher, unless it listens on a port', () => {
  expect(kindOf({ command: 'webpack' })).toBe('build');
  expect(kindOf({ command: 'webpack', watchesFiles: true })).toBe('watcher');
  expect(kindOf({ command: 'webpack', watchesFiles: true, ports: [8080] })).toBe('build');
});

test('a watcher that listens on a port counts as a development server', () => {
  expect(kindOf({ command: 'nodemon app.js' })).toBe('watcher');
  expect(kindOf({ command: 'nodemon app.js', ports: [3000] })).toBe('dev_server');
});

test.each([
  'mcp-server-demo --port 8080',
  'mcp-server-demo --transport=sse',
  'mcp-server-demo streamableHttp',
  'pylsp --tcp',
  'gopls -listen=:4389',
])('%s is shared when it listens', (command) => {
  expect(kindOf({ command, ports: [8080] })).toBe('shared_server');
  expect(kindOf({ command })).not.toBe('shared_server');
});

test('a tool server that listens is shared if a person started it on a terminal', () => {
  const server = { command: 'mcp-server-demo --transport=stdio', ports: [8080] };
  expect(kindOf({ ...server, stdin: 'terminal' })).toBe('shared_server');
  expect(kindOf(server)).toBe('tool_server');
});

test('a process of an unknown kind with the mark of a test runner is a test worker', () => {
  const environment = { NODE_TEST_CONTEXT: 'child-v8' };
  expect(kindOf({ command: 'node /src/a.js' })).toBeUndefined();
  expect(kindOf({ command: 'node /src/a.js', environment })).toBe('test_worker');
  expect(kindOf({ command: 'postgres', environment })).toBe('database');
});

test('a wrapper has the kind of the only program it runs', () => {
  const server = { command: 'node /x/node_modules/.bin/mcp-server-demo' };
  expect(kindOf({ command: 'npm exec' }, server)).toBe('tool_server');
  expect(kindOf({ command: 'npm exec' }, { command: 'node /src/a.js' })).toBe('helper');
  expect(kindOf({ command: 'npm exec' })).toBe('helper');
});

test.each([
  'node /home/u/mcp-notes/index.js sync',
  'node /home/u/notes-mcp/dist/index.js',
  'python3 mcp_backup.py',
  'bash /home/u/bin/mcp-cleanup.sh',
])('%s is a job of a person, unless it reads its input', (command) => {
  expect(kindOf({ command })).toBe('script');
  expect(kindOf({ command, readsInput: true })).toBe('tool_server');
  expect(kindOf({ command: `${command} --transport=stdio` })).toBe('tool_server');
});

test('a program that leads its own session needs more than the name of a tool server', () => {
  expect(kindOf({ command: 'mcp-cron', leads: true })).toBe('script');
  expect(kindOf({ command: 'mcp-cron' })).toBe('tool_server');
  expect(kindOf({ command: 'mcp-cron', leads: true, readsInput: true })).toBe('tool_server');
  expect(kindOf({ command: 'npx mcp-cron', leads: true })).toBe('tool_server');
});

test.each([
  'node /home/u/.npm/_npx/9/node_modules/.bin/context7-mcp',
  'node /x/node_modules/@upstash/context7-mcp/dist/index.js',
  '/src/.venv/bin/python /src/.venv/bin/notes-mcp',
  'python /home/u/.cache/uv/archive-v0/x/bin/notes-mcp',
  'python -m notes_mcp',
  'node /src/mcp-server-notes/index.js',
  'python3 /src/notes-mcp-server.py',
])('%s is a tool server by its place or full name', (command) => {
  expect(kindOf({ command, leads: true })).toBe('tool_server');
});
