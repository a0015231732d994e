import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exampleExecutable } from '../fixtures/run-example.ts';
import { inNamespace } from '../fixtures/pid-namespace.ts';
import { mcpServer } from '../fixtures/run-ai-agent.ts';
import { confirmed, deedAsync, executable, type Run } from '../fixtures/run-deed.ts';

interface Check {
  readonly check: string;
  readonly status: 'pass' | 'warn' | 'fail';
  readonly message: string;
  readonly fix: string | null;
}

describe('doctor', () => {
  let home: string;
  let server: Server;
  let url = '';
  beforeAll(async () => {
    server = createServer((_request, response) => response.writeHead(404).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  afterAll(() => server.close());
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'deed-doctor-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const run = (argv: readonly string[] = [], env: Record<string, string> = {}): Promise<Run> =>
    deedAsync(['doctor', ...argv], { home, cwd: tmpdir(), env });
  const checked = async (
    name: string,
    argv: readonly string[] = [],
    env: Record<string, string> = {},
  ): Promise<Check | undefined> =>
    ((await run(argv, env)).envelope.data.checks as Check[]).find(({ check }) => check === name);
  const configure = (config: object): void => {
    mkdirSync(join(home, '.ai-agent'), { recursive: true });
    writeFileSync(join(home, '.ai-agent/ai-agent.json'), JSON.stringify(config));
  };

  it('runs the checks of a program built on the kernel after its own', () => {
    const [runtime, program] = exampleExecutable('notes');
    const { stdout } = spawnSync(runtime, [program ?? '', 'doctor'], {
      env: { PATH: process.env.PATH, NOTES_HOME: home },
      encoding: 'utf8',
    });
    const { data } = JSON.parse(stdout) as { data: { healthy: boolean; checks: Check[] } };
    expect(data.healthy).toBe(false);
    expect(data.checks.map(({ check }) => check)).toEqual([
      'runtime',
      'home',
      'config',
      'confirm_secret',
      'audit',
      'release_readiness',
      'notes_file',
    ]);
    expect(data.checks.at(-1)?.fix).toBe('Set NOTES_FILE.');
  });

  it('looks at every part, and says for whatever is not well what to do', async () => {
    const { healthy, checks } = (await run()).envelope.data as { healthy: boolean; checks: Check[] };
    expect(checks.map(({ check }) => check)).toEqual([
      'runtime',
      'home',
      'config',
      'confirm_secret',
      'audit',
      'release_readiness',
      'store',
      'disk',
      'git',
      'workspace',
      'proc',
      'signals',
      'providers',
      'tool_servers',
      'hooks',
      'tools',
      'skill',
      'update',
    ]);
    expect(healthy).toBe(checks.every(({ status }) => status !== 'fail'));
    for (const { status, fix } of checks) expect(fix === null).toBe(status === 'pass');
  });

  it('tells a store that is not there yet, is whole, is damaged or is no store from one another', async () => {
    expect(await checked('store')).toMatchObject({
      status: 'pass',
      message: expect.stringContaining('first use') as string,
    });
    const created = confirmed(['store', 'upgrade'], { home, cwd: home });
    expect(created.code).toBe(0);
    expect(await checked('store')).toMatchObject({
      status: 'pass',
      message: expect.stringContaining('is whole') as string,
    });
    truncateSync(join(home, 'deed.db'), 6000);
    rmSync(join(home, 'deed.db-wal'), { force: true });
    rmSync(join(home, 'deed.db-shm'), { force: true });
    expect(await checked('store')).toMatchObject({ status: 'fail', fix: expect.any(String) as string });
    writeFileSync(join(home, 'other.db'), 'this is no database at all, by no means'.repeat(300));
    expect(await checked('store', [], { VYBE_DB_PATH: join(home, 'other.db') })).toMatchObject({
      status: 'fail',
    });
  });

  it.skipIf(process.getuid?.() === 0)('fails for a store that cannot be written', async () => {
    confirmed(['store', 'upgrade'], { home, cwd: home });
    chmodSync(join(home, 'deed.db'), 0o400);
    expect(await checked('store')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('cannot be written') as string,
    });
  });

  it('fails without git, and with one that does not run', async () => {
    const bin = join(home, 'bin');
    mkdirSync(bin);
    expect(await checked('git', [], { PATH: bin })).toMatchObject({
      status: 'fail',
      message: 'There is no git in PATH.',
      fix: expect.stringContaining('Install git') as string,
    });
    writeFileSync(join(bin, 'git'), '#!/bin/sh\nexit 3\n', { mode: 0o755 });
    expect(await checked('git', [], { PATH: bin })).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('exit 3') as string,
    });
    expect(await checked('git')).toMatchObject({ status: 'pass' });
  });

  it('warns of programs that are missing, with what that means', async () => {
    const bin = join(home, 'bin');
    mkdirSync(bin);
    expect(await checked('tools', [], { PATH: bin })).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('Without bwrap') as string,
      fix: expect.stringContaining('bubblewrap jq') as string,
    });
    for (const name of ['bwrap', 'jq']) symlinkSync('/bin/true', join(bin, name));
    expect(await checked('tools', [], { PATH: bin })).toMatchObject({ status: 'pass' });
  });

  it('tells by the disk whether there is room for a run', async () => {
    expect((await checked('disk'))?.message).toMatch(/^\d+ MB are free/u);
    writeFileSync(join(home, 'config.json'), JSON.stringify({ 'work.disk_bytes': 9_000_000_000_000_000 }));
    expect(await checked('disk')).toMatchObject({
      status: 'warn',
      fix: expect.stringContaining('work gc') as string,
    });
  });

  /** What doctor says on a machine that was changed first, in a namespace of its own. */
  const checksAfter = (change: string): readonly Check[] => {
    const words = executable().map((word) => `'${word}'`);
    const { stdout } = inNamespace(
      `set -e; ${change}; ${words.join(' ')} doctor --fields checks`,
      { HOME: home, DEED_HOME: home, PATH: process.env.PATH ?? '' },
      60_000,
    );
    return (JSON.parse(stdout) as { data: { checks: Check[] } }).data.checks;
  };

  it.skipIf(process.getuid?.() !== 0)('fails when the disk is nearly full', () => {
    const checks = checksAfter(`mount -t tmpfs -o size=8m tmpfs ${home}`);
    expect(checks.find(({ check }) => check === 'disk')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('too little') as string,
    });
  });

  it.skipIf(process.getuid?.() !== 0)('warns when other processes are hidden', () => {
    const checks = checksAfter(
      'mount -o remount,hidepid=2 /proc 2>/dev/null || mount -t proc -o hidepid=2 proc /proc',
    );
    expect(checks.find(({ check }) => check === 'proc')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('hidepid=') as string,
    });
    expect(checks.find(({ check }) => check === 'signals')).toMatchObject({ status: 'pass' });
  });

  it('tells which providers have what they need, and never prints a key', async () => {
    expect(await checked('providers')).toMatchObject({ status: 'warn', fix: expect.any(String) as string });
    expect(await checked('providers', [], { OPENAI_API_KEY: 'sk-test-0123456789abcdefghij' })).toEqual({
      check: 'providers',
      status: 'pass',
      message: 'None is configured; OPENAI_API_KEY can be used by name.',
      fix: null,
    });
    configure({ providers: { openai: {} } });
    expect(await checked('providers')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('openai') as string,
    });
    configure({
      providers: { mine: { type: 'openai', apiKey: 'sk-test-0123456789abcdefghij', baseUrl: url } },
    });
    const told = await run();
    expect(told.stdout).not.toContain('0123456789abcdefghij');
    const checks = told.envelope.data.checks as Check[];
    expect(checks.find(({ check }) => check === 'providers')).toMatchObject({
      status: 'pass',
      message: 'mine: complete; --deep reaches them.',
    });
  });

  it('reaches providers with --deep, and only then', async () => {
    configure({ providers: { mine: { type: 'openai', apiKey: 'sk-x', baseUrl: url } } });
    expect(await checked('providers', ['--deep'])).toMatchObject({
      status: 'pass',
      message: 'mine: complete and reachable.',
    });
    configure({ providers: { mine: { type: 'openai', apiKey: 'sk-x', baseUrl: 'http://127.0.0.1:9/v1' } } });
    expect(await checked('providers')).toMatchObject({ status: 'pass' });
    expect(await checked('providers', ['--deep'])).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('mine') as string,
    });
  });

  it('reaches providers that are configured without an address where they are at home', async () => {
    const asked = join(home, 'asked');
    const preload = join(home, 'fetch.cjs');
    writeFileSync(
      preload,
      `globalThis.fetch = async (url) => {
        require('node:fs').appendFileSync(${JSON.stringify(asked)}, url + '\\n');
        if (String(url).includes('openrouter')) throw new Error('no way there');
        return new Response(null, { status: 401 });
      };`,
    );
    const env = { NODE_OPTIONS: `--require=${preload}`, BUN_OPTIONS: `--preload=${preload}` };
    const apiKey = 'sk-x';
    configure({ providers: { openai: { apiKey }, anthropic: { apiKey }, google: { apiKey } } });
    expect(await checked('providers', ['--deep'], env)).toMatchObject({ status: 'pass' });
    expect(readFileSync(asked, 'utf8').trim().split('\n')).toEqual([
      'https://api.openai.com/v1',
      'https://api.anthropic.com/v1',
      'https://generativelanguage.googleapis.com/v1beta',
    ]);
    configure({ providers: { openrouter: { apiKey } } });
    expect(await checked('providers', ['--deep'], env)).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('openrouter: no way there') as string,
      fix: expect.any(String) as string,
    });
  });

  it('starts tool servers with --deep, and only then', async () => {
    const started = join(home, 'started');
    const dead = { command: 'sh', args: ['-c', `touch ${started}; echo cannot go on >&2; exit 1`] };
    configure({ mcpServers: { dead } });
    expect(await checked('tool_servers')).toMatchObject({
      status: 'pass',
      message: 'dead: not started; --deep does that.',
    });
    expect(existsSync(started)).toBe(false);
    expect(await checked('tool_servers', ['--deep'])).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('cannot go on') as string,
      fix: expect.stringContaining('mcpServers') as string,
    });
    expect(existsSync(started)).toBe(true);
    configure({ mcpServers: { everything: mcpServer('everything', 'stdio') } });
    expect(await checked('tool_servers', ['--deep'])).toMatchObject({
      status: 'pass',
      message: 'everything: each answers.',
    });
  });

  it('starts nothing of a folder that is not trusted', async () => {
    const folder = join(home, 'stranger');
    mkdirSync(folder);
    const started = join(home, 'started');
    const evil = { command: 'touch', args: [started] };
    writeFileSync(join(folder, '.ai-agent.json'), JSON.stringify({ mcpServers: { evil } }));
    await deedAsync(['doctor', '--deep'], { home, cwd: folder });
    expect(existsSync(started)).toBe(false);
  });

  it('warns while hosts that are used here have no hooks', async () => {
    expect(await checked('hooks')).toMatchObject({ status: 'pass' });
    mkdirSync(join(home, '.claude'));
    expect(await checked('hooks')).toMatchObject({
      status: 'warn',
      message: 'Claude Code would not record sessions by itself.',
      fix: 'deed hook install --claude --dry-run',
    });
    expect(confirmed(['hook', 'install', '--claude'], { home, cwd: home }).code).toBe(0);
    expect(await checked('hooks')).toMatchObject({ status: 'pass', message: 'Claude Code: installed.' });
    const settings = JSON.parse(readFileSync(join(home, '.claude/settings.json'), 'utf8')) as {
      hooks: Record<string, unknown>;
    };
    delete settings.hooks.SessionStart;
    writeFileSync(join(home, '.claude/settings.json'), JSON.stringify(settings));
    expect(await checked('hooks')).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('some hooks are missing') as string,
      fix: 'deed hook install --claude --dry-run',
    });
    writeFileSync(join(home, '.claude/settings.json'), '{');
    expect(await checked('hooks')).toMatchObject({ status: 'fail' });
  });

  it('finds hooks of version 0.1.0, and hooks whose program is gone; installing again repairs them', async () => {
    const settings = join(home, '.claude/settings.json');
    const handlers = { SessionStart: 'session-start', UserPromptSubmit: 'prompt', SessionEnd: 'session-end' };
    const foreign = { hooks: [{ type: 'command', command: 'echo hello' }] };
    const entriesOf = (program: string) =>
      Object.fromEntries(
        Object.entries(handlers).map(([event, handler]) => [
          event,
          [foreign, { hooks: [{ type: 'command', command: `${program} hook ${handler}`, timeout: 10 }] }],
        ]),
      );
    mkdirSync(join(home, '.claude'), { recursive: true });
    for (const [program, problem] of [
      [`${process.execPath} ${process.execPath.replace(/node$/u, 'vybe.cjs')}`, 'which is gone'],
      ["/opt/no such folder/vybe'", 'which is gone'],
      ['no-such-folder/vybe', 'which is gone'],
    ] as const) {
      writeFileSync(settings, JSON.stringify({ hooks: entriesOf(program.replace("'", '')) }));
      expect(await checked('hooks')).toMatchObject({
        status: 'warn',
        message: expect.stringContaining(problem) as string,
        fix: 'deed hook install --claude --dry-run',
      });
    }
    // Its script may still be there, as in a checkout that was updated.
    const script = join(home, 'dist/bin/vybe.cjs');
    mkdirSync(join(home, 'dist/bin'), { recursive: true });
    writeFileSync(script, '');
    writeFileSync(settings, JSON.stringify({ hooks: entriesOf(`${process.execPath} ${script}`) }));
    expect(await checked('hooks')).toMatchObject({
      status: 'warn',
      message: `The hooks of Claude Code call ${process.execPath} ${script}, which an older version of ours installed.`,
    });
    expect(confirmed(['hook', 'install', '--claude'], { home, cwd: home }).code).toBe(0);
    expect(await checked('hooks')).toMatchObject({ status: 'pass' });
    const repaired = JSON.parse(readFileSync(settings, 'utf8')) as { hooks: { SessionStart: unknown[] } };
    expect(repaired.hooks.SessionStart).toEqual([
      foreign,
      {
        hooks: [
          { type: 'command', command: expect.stringMatching(/vybe hook session-start$/u), timeout: 10 },
        ],
      },
    ]);
    expect(readFileSync(settings, 'utf8')).not.toContain('.cjs');
  });

  it('finds a plugin of OpenCode, and hooks of a folder, whose program is gone', async () => {
    mkdirSync(join(home, '.config/opencode'), { recursive: true });
    expect(confirmed(['hook', 'install', '--opencode'], { home, cwd: home }).code).toBe(0);
    expect(await checked('hooks')).toMatchObject({ status: 'pass' });
    const plugin = join(home, '.config/opencode/plugin/vybe.js');
    const text = readFileSync(plugin, 'utf8');
    writeFileSync(
      plugin,
      text.replace(/^const PROGRAM = .*$/mu, 'const PROGRAM = ["/gone/node","/gone/vybe.cjs"];'),
    );
    expect(await checked('hooks')).toMatchObject({
      status: 'warn',
      message: 'The hooks of OpenCode call /gone/node /gone/vybe.cjs, which is gone.',
      fix: 'deed hook install --opencode --dry-run',
    });
    expect(confirmed(['hook', 'install', '--opencode'], { home, cwd: home }).code).toBe(0);
    expect(readFileSync(plugin, 'utf8')).toBe(text);
  });
});
