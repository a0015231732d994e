import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { confirmed, createHome, deed, type Run } from '../fixtures/run-deed.ts';

let home: ReturnType<typeof createHome>;
let cwd = '';
beforeEach(() => {
  home = createHome();
  cwd = join(home.path, 'project');
  mkdirSync(cwd);
});
afterEach(() => home.dispose());

const run = (...argv: string[]): Run => deed(argv, { home: home.path, cwd });
const write = (...argv: string[]): Run => confirmed(argv, { home: home.path, cwd });
const limit = (): unknown[] => {
  const { value, source } = run('config', 'get', 'list.limit').envelope.data as {
    value: unknown;
    source: string;
  };
  return [value, source];
};
const config = (): string => join(home.path, 'config.json');
const folderFile = (): string => join(cwd, '.deed.json');
const trustState = (): unknown => run('context').envelope.data.folder.config;

describe('a home configuration', () => {
  it.each([
    ['is not JSON', '{"list.limit":', 'is not JSON'],
    ['is empty', '', 'is not JSON'],
    ['is not an object', '[1]', 'is not a JSON object'],
    ['is null', 'null', 'is not a JSON object'],
    ['is binary', '\u0000\u0001\u0002', 'is not JSON'],
  ])('that %s is a configuration fault and is not modified', (_what, content, problem) => {
    writeFileSync(config(), content);
    for (const argv of [
      ['config', 'get', 'list.limit'],
      ['config', 'set', 'list.limit', '7', '--dry-run'],
      ['config', 'unset', '--keys', 'list.limit', '--dry-run'],
    ]) {
      const { code, envelope } = run(...argv);
      expect([code, envelope.error]).toMatchObject([
        4,
        { code: 'E_CONFIG', details: { path: config(), problem } },
      ]);
    }
    expect(readFileSync(config(), 'utf8')).toBe(content);
    const { checks } = run('doctor').envelope.data as {
      checks: { check: string; status: string; fix: string }[];
    };
    expect(checks.find(({ check }) => check === 'config')).toMatchObject({
      status: 'fail',
      fix: `Fix ${config()}, or move it away to start with the defaults.`,
    });
  });

  it.each([
    ['a string for a number', { 'list.limit': '7' }, 'list.limit'],
    ['a number out of bounds', { 'list.limit': 0 }, 'list.limit'],
    ['an object', { 'update.notices': {} }, 'update.notices'],
    ['an unsafe URL', { 'update.release_url': 'http://example.com' }, 'update.release_url'],
    [
      'a URL that only starts like a loopback URL',
      { 'update.release_url': 'http://localhost:80@example.com' },
      'update.release_url',
    ],
    ['an array of numbers', { 'update.skill_folders': [1] }, 'update.skill_folders'],
  ])('with %s is rejected with the name of the setting', (_what, values, setting) => {
    writeFileSync(config(), JSON.stringify(values));
    const { code, envelope } = run('context');
    expect([code, envelope.error]).toMatchObject([
      4,
      { code: 'E_CONFIG', details: { path: config(), setting } },
    ]);
  });

  it('with unknown settings, or names like inherited members, keeps them', () => {
    const content = '{"future.setting":{"a":1},"__proto__":{"list.limit":3},"constructor":1,"list.limit":9}';
    writeFileSync(config(), content);
    expect(limit()).toEqual([9, 'home']);
    expect(write('config', 'set', 'update.notices', 'false').code).toBe(0);
    expect(JSON.parse(readFileSync(config(), 'utf8'))).toEqual({
      ...(JSON.parse(content) as object),
      'update.notices': false,
    });
    expect(readFileSync(config(), 'utf8')).toContain('"__proto__"');
  });

  it('of many megabytes is rejected before it is read', () => {
    writeFileSync(config(), JSON.stringify({ x: 'x'.repeat(5 * 1024 * 1024) }));
    expect(run('context').envelope.error?.code).toBe('E_IO');
  });

  it('that is a pipe or a folder is rejected and does not block', () => {
    spawnSync('mkfifo', [config()]);
    expect(run('context').envelope.error?.code).toBe('E_CONFIG');
    rmSync(config());
    mkdirSync(config());
    expect(run('context').envelope.error?.code).toBe('E_IO');
  });

  it('is private after a write, with any mode before', () => {
    writeFileSync(config(), '{}', { mode: 0o644 });
    write('config', 'set', 'list.limit', '7');
    const { stdout } = spawnSync('stat', ['-c', '%a', config()], { encoding: 'utf8' });
    expect(stdout).toBe('600\n');
  });
});

describe("a folder's configuration", () => {
  beforeEach(() => writeFileSync(folderFile(), '{"list.limit": 3, "update.notices": false, "nope": 1}'));

  it('is ignored until it is trusted, and doctor reports it', () => {
    expect([limit(), trustState()]).toEqual([[50, 'default'], 'untrusted']);
    const { checks } = run('doctor').envelope.data as { checks: { check: string; status: string }[] };
    expect(checks.find(({ check }) => check === 'config')?.status).toBe('warn');
  });

  it('is used after it was trusted, except for settings that control the program', () => {
    expect(write('config', 'trust', '.').envelope.data).toEqual({
      file: folderFile(),
      trusted: true,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/u),
      files: [folderFile()],
    });
    expect([limit(), trustState()]).toEqual([[3, 'folder'], 'trusted']);
    expect(run('config', 'get', 'update.notices').envelope.data).toMatchObject({
      value: true,
      source: 'default',
    });
  });

  it('is trusted through any path to its folder', () => {
    const link = join(home.path, 'link');
    symlinkSync(cwd, link);
    expect(write('config', 'trust', link).envelope.data.file).toBe(folderFile());
    expect(limit()).toEqual([3, 'folder']);
  });

  it('takes precedence over home, and only in its folder', () => {
    write('config', 'set', 'list.limit', '9');
    write('config', 'trust', '.');
    expect(limit()).toEqual([3, 'folder']);
    const elsewhere = deed(['config', 'get', 'list.limit'], { home: home.path, cwd: home.path });
    expect(elsewhere.envelope.data.value).toBe(9);
  });

  it.each([
    ['edited', () => writeFileSync(folderFile(), '{"list.limit": 4}')],
    ['extended by a space', () => writeFileSync(folderFile(), `${readFileSync(folderFile(), 'utf8')} `)],
    [
      'replaced by a link',
      () => {
        writeFileSync(join(home.path, 'other.json'), '{"list.limit": 4}');
        rmSync(folderFile());
        symlinkSync(join(home.path, 'other.json'), folderFile());
      },
    ],
    [
      'replaced by a folder',
      () => {
        rmSync(folderFile());
        mkdirSync(folderFile());
      },
    ],
  ])('is ignored again after it was %s', (_what, change) => {
    write('config', 'trust', '.');
    change();
    expect([limit(), trustState()]).toEqual([[50, 'default'], 'changed']);
  });

  it('is ignored again after the trust was revoked', () => {
    write('config', 'trust', '.');
    expect(write('config', 'trust', '.', '--revoke').envelope.data.trusted).toBe(false);
    expect([limit(), trustState()]).toEqual([[50, 'default'], 'untrusted']);
  });

  it('is not trusted when it changed between the preview and the confirmation', () => {
    const token = run('config', 'trust', '.', '--dry-run').envelope.data.confirm_token as string;
    writeFileSync(folderFile(), '{"list.limit": 999}');
    expect(run('config', 'trust', '.', '--confirm', token).envelope.error?.code).toBe('E_CONFLICT');
    expect(trustState()).toBe('untrusted');
  });

  it('that was trusted at one path is not trusted at another', () => {
    write('config', 'trust', '.');
    const moved = join(home.path, 'moved');
    renameSync(cwd, moved);
    cwd = moved;
    expect([limit(), trustState()]).toEqual([[50, 'default'], 'untrusted']);
  });

  it('that is invalid is a configuration fault only when it is trusted', () => {
    writeFileSync(folderFile(), '{"list.limit": "many"}');
    expect(limit()).toEqual([50, 'default']);
    write('config', 'trust', '.');
    expect(run('config', 'get', 'list.limit').envelope.error).toMatchObject({
      code: 'E_CONFIG',
      details: { path: folderFile(), setting: 'list.limit' },
    });
  });

  it.each([
    ['a pipe', () => spawnSync('mkfifo', [folderFile()])],
    ['a folder', () => mkdirSync(folderFile())],
    ['a link to a device', () => symlinkSync('/dev/zero', folderFile())],
    ['huge', () => writeFileSync(folderFile(), ' '.repeat(5 * 1024 * 1024))],
  ])('that is %s is ignored and cannot be trusted', (_what, make) => {
    rmSync(folderFile());
    make();
    expect([limit(), trustState()]).toEqual([[50, 'default'], 'untrusted']);
    expect(run('config', 'trust', '.', '--dry-run').envelope.error?.code).toBe('E_IO');
  });

  it('that is a broken link does not exist', () => {
    rmSync(folderFile());
    symlinkSync(join(home.path, 'nowhere'), folderFile());
    expect(trustState()).toBe('none');
    expect(run('config', 'trust', '.', '--dry-run').envelope.error?.code).toBe('E_NOT_FOUND');
  });
});

describe('names that another program created', () => {
  it('as a lock link are not followed', () => {
    const precious = join(home.path, 'precious');
    writeFileSync(precious, 'precious');
    symlinkSync(precious, `${config()}.lock`);
    expect(write('config', 'set', 'list.limit', '7').code).toBe(0);
    expect([readFileSync(precious, 'utf8'), existsSync(`${config()}.lock`)]).toEqual(['precious', false]);
  });

  it('as a configuration link are neither read nor replaced', () => {
    const precious = join(home.path, 'precious');
    writeFileSync(precious, '{"list.limit": 4}');
    symlinkSync(precious, config());
    const { error } = run('config', 'set', 'list.limit', '7', '--dry-run').envelope;
    expect(error).toMatchObject({ code: 'E_CONFIG', details: { path: config() } });
    expect(readFileSync(precious, 'utf8')).toBe('{"list.limit": 4}');
  });

  it('do not remain: a write leaves only its own files', () => {
    write('config', 'set', 'list.limit', '7');
    expect(readdirSync(home.path).sort()).toEqual([
      'audit',
      'audit.anchor',
      'config.json',
      'confirm.secret',
      'consumed',
      'project',
    ]);
    expect(
      readdirSync(join(home.path, 'audit'))
        .filter((name) => !name.endsWith('.jsonl'))
        .sort(),
    ).toEqual(['chain.key', 'head.json']);
  });
});
