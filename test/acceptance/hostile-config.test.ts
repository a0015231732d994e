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
    ['is no JSON', '{"list.limit":', 'is not JSON'],
    ['is empty', '', 'is not JSON'],
    ['is no object', '[1]', 'is not a JSON object'],
    ['is null', 'null', 'is not a JSON object'],
    ['is binary', '\u0000\u0001\u0002', 'is not JSON'],
  ])('that %s is a configuration fault and stays as it is', (_what, content, problem) => {
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
      fix: `Repair ${config()}, or move it away to start with the defaults.`,
    });
  });

  it.each([
    ['text for a number', { 'list.limit': '7' }, 'list.limit'],
    ['a number out of bounds', { 'list.limit': 0 }, 'list.limit'],
    ['an object', { 'update.notices': {} }, 'update.notices'],
    ['an address that is not safe', { 'update.release_url': 'http://example.com' }, 'update.release_url'],
    [
      'an address that only begins like one of this machine',
      { 'update.release_url': 'http://localhost:80@example.com' },
      'update.release_url',
    ],
    ['a list of numbers', { 'update.skill_folders': [1] }, 'update.skill_folders'],
  ])('with %s names the setting that is wrong', (_what, values, setting) => {
    writeFileSync(config(), JSON.stringify(values));
    const { code, envelope } = run('context');
    expect([code, envelope.error]).toMatchObject([
      4,
      { code: 'E_CONFIG', details: { path: config(), setting } },
    ]);
  });

  it('with names that only a newer version knows, or every object has, is left alone', () => {
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

  it('of many megabytes is refused before it is read', () => {
    writeFileSync(config(), JSON.stringify({ x: 'x'.repeat(5 * 1024 * 1024) }));
    expect(run('context').envelope.error?.code).toBe('E_IO');
  });

  it('that is a pipe or a folder is refused and holds nobody up', () => {
    spawnSync('mkfifo', [config()]);
    expect(run('context').envelope.error?.code).toBe('E_IO');
    rmSync(config());
    mkdirSync(config());
    expect(run('context').envelope.error?.code).toBe('E_IO');
  });

  it('is private, whatever it was before', () => {
    writeFileSync(config(), '{}', { mode: 0o644 });
    write('config', 'set', 'list.limit', '7');
    const { stdout } = spawnSync('stat', ['-c', '%a', config()], { encoding: 'utf8' });
    expect(stdout).toBe('600\n');
  });
});

describe("a folder's configuration", () => {
  beforeEach(() => writeFileSync(folderFile(), '{"list.limit": 3, "update.notices": false, "nope": 1}'));

  it('is ignored until it is trusted, and doctor says so', () => {
    expect([limit(), trustState()]).toEqual([[50, 'default'], 'untrusted']);
    const { checks } = run('doctor').envelope.data as { checks: { check: string; status: string }[] };
    expect(checks.find(({ check }) => check === 'config')?.status).toBe('warn');
  });

  it('counts after it was trusted, but decides nothing over the program itself', () => {
    expect(write('config', 'trust', '.').envelope.data).toEqual({
      file: folderFile(),
      trusted: true,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/u),
    });
    expect([limit(), trustState()]).toEqual([[3, 'folder'], 'trusted']);
    expect(run('config', 'get', 'update.notices').envelope.data).toMatchObject({
      value: true,
      source: 'default',
    });
  });

  it('is trusted by any name of its folder', () => {
    const link = join(home.path, 'link');
    symlinkSync(cwd, link);
    expect(write('config', 'trust', link).envelope.data.file).toBe(folderFile());
    expect(limit()).toEqual([3, 'folder']);
  });

  it('wins over home, and only in its folder', () => {
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
      'swapped for a link',
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
  ])('is ignored again once it was %s', (_what, change) => {
    write('config', 'trust', '.');
    change();
    expect([limit(), trustState()]).toEqual([[50, 'default'], 'changed']);
  });

  it('is ignored again once the trust was taken back', () => {
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

  it('that was trusted in one place is not trusted in another', () => {
    write('config', 'trust', '.');
    const moved = join(home.path, 'moved');
    renameSync(cwd, moved);
    cwd = moved;
    expect([limit(), trustState()]).toEqual([[50, 'default'], 'untrusted']);
  });

  it('that is wrong is a configuration fault only when it is trusted', () => {
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
  ])('that is %s stands in nobody’s way and cannot be trusted', (_what, make) => {
    rmSync(folderFile());
    make();
    expect([limit(), trustState()]).toEqual([[50, 'default'], 'untrusted']);
    expect(run('config', 'trust', '.', '--dry-run').envelope.error?.code).toBe('E_IO');
  });

  it('that links to nothing is none', () => {
    rmSync(folderFile());
    symlinkSync(join(home.path, 'nowhere'), folderFile());
    expect(trustState()).toBe('none');
    expect(run('config', 'trust', '.', '--dry-run').envelope.error?.code).toBe('E_NOT_FOUND');
  });
});

describe('names that somebody prepared', () => {
  it('as a lock are not followed', () => {
    const precious = join(home.path, 'precious');
    writeFileSync(precious, 'precious');
    symlinkSync(precious, `${config()}.lock`);
    expect(write('config', 'set', 'list.limit', '7').code).toBe(0);
    expect([readFileSync(precious, 'utf8'), existsSync(`${config()}.lock`)]).toEqual(['precious', false]);
  });

  it('as the configuration itself are replaced, not written through', () => {
    const precious = join(home.path, 'precious');
    writeFileSync(precious, '{"list.limit": 4}');
    symlinkSync(precious, config());
    expect(write('config', 'set', 'list.limit', '7').envelope.data).toMatchObject({ previous: 4, value: 7 });
    expect(readFileSync(precious, 'utf8')).toBe('{"list.limit": 4}');
  });

  it('leave nothing behind: a write ends with its own files alone', () => {
    write('config', 'set', 'list.limit', '7');
    expect(readdirSync(home.path).sort()).toEqual([
      'audit',
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
