import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deed, executable, type Run } from '../fixtures/run-deed.ts';

const [PROGRAM] = executable();

/**
 * A compiled runtime still looks for its configuration files in the current folder, where they are untrusted, so the build disables
 * that. Without its flags bunfig.toml and .env take effect here.
 */
describe('the standalone executable in an untrusted folder', () => {
  let root = '';
  let folder = '';
  const marker = (): string => join(root, 'marker');
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'deed-hostile-')));
    folder = join(root, 'folder');
    mkdirSync(folder);
    put(
      'evil.ts',
      `require('node:fs').writeFileSync(${JSON.stringify(marker())}, ''); export const join = 1;`,
    );
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const put = (name: string, content: string): void => writeFileSync(join(folder, name), content);
  const run = (...argv: string[]): Run => deed(argv, { cwd: folder, env: { HOME: join(root, 'home') } });

  it.each([['bunfig.toml'], ['.bunfig.toml']])('runs no code from %s', (name) => {
    put(name, 'preload = ["./evil.ts"]\n[run]\nshell = "system"\n');
    expect(run('context').envelope.ok).toBe(true);
    expect(existsSync(marker())).toBe(false);
  });

  it.skipIf(process.platform !== 'linux').each(['BUN_OPTIONS', 'BUN_INSPECT_PRELOAD'])(
    'runs no code that %s of the environment names',
    (name) => {
      const evil = join(folder, 'evil.ts');
      const env = { HOME: join(root, 'home'), [name]: name === 'BUN_OPTIONS' ? `--preload ${evil}` : evil };
      const { envelope } = deed(['context'], { cwd: folder, env });
      expect([envelope.ok, existsSync(marker())]).toEqual([true, false]);
    },
  );

  it.skipIf(process.platform !== 'linux')('does not become the runtime with BUN_BE_BUN', () => {
    const env = { HOME: join(root, 'home'), BUN_BE_BUN: '1' };
    expect(deed(['run', join(folder, 'evil.ts')], { cwd: folder, env }).envelope.error?.code).toBe('E_USAGE');
    expect(existsSync(marker())).toBe(false);
  });

  it.each([['.env'], ['.env.local'], ['.env.production'], ['.env.development'], ['.env.test']])(
    'reads no variable from %s',
    (name) => {
      put(name, `DEED_HOME=${join(root, 'theirs')}\nANTHROPIC_API_KEY=theirs\nDEED_AGENT=theirs\n`);
      const { home, credentials, account } = run('context').envelope.data;
      expect([home, credentials.configured, account.agent]).toEqual([
        { path: join(root, 'home/.deed'), moved_by: null },
        false,
        null,
      ]);
      expect(existsSync(join(root, 'theirs'))).toBe(false);
    },
  );

  it.each([
    [
      'tsconfig.json',
      { compilerOptions: { baseUrl: '.', paths: { '*': ['./evil.ts'], 'node:*': ['./evil.ts'] } } },
    ],
    ['jsconfig.json', { compilerOptions: { baseUrl: '.', paths: { '*': ['./evil.ts'] } } }],
    [
      'package.json',
      { imports: { '#*': './evil.ts' }, browser: { fs: './evil.ts', 'node:fs': './evil.ts' } },
    ],
  ])('resolves nothing through %s', (name, content) => {
    put(name, JSON.stringify(content));
    // Loads further chunks of the program, so that there is something to resolve.
    const { code, envelope } = run('reference', '--schema');
    expect([code, envelope.ok]).toEqual([0, true]);
    expect(existsSync(marker())).toBe(false);
  });

  it('ignores invalid configuration files', () => {
    for (const name of ['bunfig.toml', '.env', 'tsconfig.json', 'package.json'])
      put(name, '{ = \u0000 garbage');
    const { code, stderr } = run('context');
    expect([code, stderr]).toEqual([0, '']);
  });

  it('loads no module of that folder in place of its own', () => {
    mkdirSync(join(folder, 'node_modules/valibot'), { recursive: true });
    put('node_modules/valibot/package.json', '{"name":"valibot","main":"../../evil.ts"}');
    put('context.ts', "import './evil.ts';");
    expect(run('context').envelope.ok).toBe(true);
    expect(existsSync(marker())).toBe(false);
  });
});

describe('the standalone executable under another name', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'deed-names-'));
    for (const name of [
      'deed',
      'vybe',
      'pt',
      'ai-agent',
      'anything',
      'deed-vybe',
      'vybe.old',
      'constructor',
      '__proto__',
    ])
      symlinkSync(PROGRAM, join(folder, name));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const run = (name: string): Run =>
    deed(['--version', '--compact'], { home: join(folder, 'home'), executable: [join(folder, name)] });

  it('answers as pt in the format of its contract', () => {
    const { code, stdout } = run('pt');
    const members = ['schema_version', 'session_id', 'generated_at', 'host_id', 'version', 'commands'];
    expect([code, Object.keys(JSON.parse(stdout) as object)]).toEqual([0, members]);
  });

  it('answers as ai-agent with text, and rejects a call without prompts with its own exit code', () => {
    const version = deed(['--version'], {
      home: join(folder, 'home'),
      executable: [join(folder, 'ai-agent')],
    });
    expect([version.code, version.stdout]).toEqual([0, expect.stringMatching(/^ai-agent \d/u)]);
    const bare = deed([], { home: join(folder, 'home'), executable: [join(folder, 'ai-agent')] });
    expect([bare.code, bare.stdout]).toEqual([4, '']);
  });

  it('answers as vybe in the format of its contract', () => {
    const { code, stdout } = run('vybe');
    expect([code, Object.keys(JSON.parse(stdout) as object)]).toEqual([
      0,
      ['schema_version', 'success', 'data'],
    ]);
  });

  it.each([['deed'], ['anything'], ['deed-vybe'], ['vybe.old'], ['constructor'], ['__proto__']])(
    'answers as deed when it is called %s',
    (name) => {
      const { code, envelope } = run(name);
      expect([code, envelope.data.tool]).toEqual([0, 'deed']);
    },
  );

  it('detects its name when it is found through PATH, and from argv[0]', () => {
    const start = (program: string, argv0 = program): { status: number | null; stdout: string } =>
      spawnSync(program, [], { argv0, env: { PATH: folder, HOME: folder }, encoding: 'utf8' });
    expect(start('ai-agent').status).toBe(4);
    expect(start(PROGRAM, 'pt').stdout).toContain('pt agent snapshot');
  });
});
