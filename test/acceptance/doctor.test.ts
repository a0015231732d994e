import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'deed-doctor-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const run = (
    argv: readonly string[] = [],
    env: Record<string, string> = {},
    cwd = tmpdir(),
  ): Promise<Run> => deedAsync(['doctor', ...argv], { home, cwd, env });
  const checksOf = ({ envelope }: Run): Record<string, Check> =>
    Object.fromEntries((envelope.data.checks as Check[]).map((check) => [check.check, check]));

  it('runs the common checks and then those of a program built on the kernel', () => {
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
    const ready = spawnSync(runtime, [program ?? '', 'doctor', '--fields', 'healthy,verdict'], {
      env: { PATH: process.env.PATH, NOTES_HOME: home, NOTES_FILE: `${home}/notes.json` },
      encoding: 'utf8',
    });
    expect(JSON.parse(ready.stdout)).toMatchObject({
      data: { healthy: true, verdict: 'notes works on this machine.' },
    });
  });

  it('runs every check, and suggests a fix for each that does not pass', async () => {
    const { healthy, checks } = (await run()).envelope.data as { healthy: boolean; checks: Check[] };
    expect(checks.map(({ check }) => check)).toEqual([
      'runtime',
      'home',
      'config',
      'confirm_secret',
      'audit',
      'release_readiness',
      'receipts',
      'triage_key',
      'store',
      'disk',
      'retention',
      'git',
      'workspace',
      'proc',
      'signals',
      'providers',
      'tool_servers',
      'setup',
      'hooks',
      'tools',
      'skill',
      'update',
    ]);
    expect(healthy).toBe(checks.every(({ status }) => status !== 'fail'));
    for (const { status, fix } of checks) expect(fix === null).toBe(status === 'pass');
    expect((await run(['--format', 'text'])).stdout).toMatch(
      /\ndeed works on this machine(?:, with warnings: [\w, ]+)?\.\n$/u,
    );
  });

  it('reports each problem of a broken installation, and is not healthy', async () => {
    const bin = join(home, 'bin');
    mkdirSync(bin);
    mkdirSync(join(home, '.claude'));
    writeFileSync(join(home, '.claude/settings.json'), '{');
    writeFileSync(join(home, 'deed.db'), 'this is not a database'.repeat(300));
    mkdirSync(join(home, '.ai-agent'));
    const key = 'sk-test-0123456789abcdefghij';
    const providers = { mine: { type: 'openai', apiKey: key, baseUrl: 'http://127.0.0.1:9/v1' } };
    const mcpServers = { broken: { command: 'sh', args: ['-c', 'echo cannot start >&2; exit 1'] } };
    writeFileSync(join(home, '.ai-agent/ai-agent.json'), JSON.stringify({ providers, mcpServers }));
    const ran = await run(['--deep'], { PATH: bin, OPENAI_API_KEY: key });
    const checks = checksOf(ran);
    expect(ran.envelope.data.healthy).toBe(false);
    expect(ran.envelope.data.verdict).toMatch(/^deed does not work fully: fix .*store.*\.$/u);
    expect(
      Object.fromEntries(
        ['store', 'git', 'providers', 'tool_servers', 'hooks', 'tools'].map((name) => [
          name,
          checks[name]?.status,
        ]),
      ),
    ).toEqual({
      store: 'fail',
      git: 'fail',
      providers: 'fail',
      tool_servers: 'fail',
      hooks: 'fail',
      tools: 'warn',
    });
    expect(ran.stdout).not.toContain(key);
  });

  it('connects to providers and tool servers with --deep, but not to those of an untrusted folder', async () => {
    const folder = join(home, 'untrusted');
    const started = join(home, 'started');
    mkdirSync(folder);
    const evil = { command: 'touch', args: [started] };
    writeFileSync(join(folder, '.ai-agent.json'), JSON.stringify({ mcpServers: { evil } }));
    mkdirSync(join(home, '.ai-agent'));
    const mcpServers = { everything: mcpServer('everything', 'stdio') };
    writeFileSync(join(home, '.ai-agent/ai-agent.json'), JSON.stringify({ mcpServers }));
    const { tool_servers } = checksOf(await run(['--deep'], {}, folder));
    expect([tool_servers?.message, existsSync(started)]).toEqual(['everything: connected.', false]);
  });

  it('passes for hooks and a store that deed created', async () => {
    mkdirSync(join(home, '.claude'));
    for (const argv of [
      ['store', 'upgrade'],
      ['hook', 'install', '--claude'],
    ])
      expect(confirmed(argv, { home, cwd: home }).code).toBe(0);
    const { hooks, store } = checksOf(await run());
    expect([hooks?.message, store?.status, store?.message]).toEqual([
      'Claude Code: installed.',
      'pass',
      expect.stringContaining('is intact'),
    ]);
  });

  /** The checks on a machine that was changed first, in its own namespace. */
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
    const checks = checksAfter(`mount -t tmpfs -o size=8m,mode=700 tmpfs ${home}`);
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
});
