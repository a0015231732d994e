import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  deedAsOrdinaryAccount,
  giveToOrdinaryAccount,
  ordinaryAccount,
} from '../fixtures/ordinary-account.ts';
import { confirmed, createHome, deed, executable, type Envelope } from '../fixtures/run-deed.ts';

const isRoot = process.getuid?.() === 0;
const ANOTHER_UID = 12_345;
const COMMANDS = [['context'], ['config', 'set', 'list.limit', '7', '--dry-run'], ['task', 'list']];

let root: ReturnType<typeof createHome>;
let home = '';
beforeEach(() => {
  root = createHome();
  home = join(root.path, 'home');
});
afterEach(() => root.dispose());

function expectRefused(path: string, problem: RegExp, env = {}): void {
  const before = listing(home);
  for (const argv of COMMANDS) {
    const { code, envelope } = deed(argv, { home, env });
    expect([code, envelope.error]).toMatchObject([4, { code: 'E_CONFIG', details: { path } }]);
    expect(envelope.error?.message).toMatch(problem);
    expect(envelope.error?.details.hint).toMatch(/chmod|chown|Replace/u);
  }
  expect(listing(home)).toEqual(before);
}

const listing = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

describe('a home that other accounts control', () => {
  it.each([0o777, 0o1777, 0o770, 0o720])('is refused with mode %o', (mode) => {
    mkdirSync(home);
    chmodSync(home, mode);
    expectRefused(home, /writable by other accounts/u);
  });

  it.each([[['--version']], [['--help']], [['task', '--help']]])('is not read or written by %j', (argv) => {
    mkdirSync(home);
    chmodSync(home, 0o777);
    expect(deed(argv, { home }).code).toBe(0);
    expect(listing(home)).toEqual([]);
  });

  it.each(['config.json', 'confirm.secret', 'deed.db'])('is refused if %s is a pipe', (name) => {
    mkdirSync(home, { mode: 0o700 });
    execFileSync('mkfifo', ['-m', '600', join(home, name)]);
    expectRefused(join(home, name), /is a pipe, socket or device/u);
  });

  it('is refused if it is a link', () => {
    mkdirSync(join(root.path, 'target'), { mode: 0o700 });
    symlinkSync('target', home);
    expectRefused(home, /is a symbolic link/u);
  });

  it.each(['config.json', 'trust.json', 'confirm.secret', 'audit', 'deed.db', 'keys', 'backups'])(
    'is refused if %s is a link',
    (name) => {
      expect(confirmed(['task', 'create', '--title', 'x'], { home }).code).toBe(0);
      const target = join(root.path, 'target');
      if (existsSync(join(home, name))) renameSync(join(home, name), target);
      else writeFileSync(target, '{}', { mode: 0o600 });
      symlinkSync(target, join(home, name));
      expectRefused(join(home, name), /is a symbolic link/u);
    },
  );

  it.each(['config.json', 'audit', 'deed.db'])('is refused if others can write %s', (name) => {
    expect(confirmed(['task', 'create', '--title', 'x'], { home }).code).toBe(0);
    if (!existsSync(join(home, name))) writeFileSync(join(home, name), '{}');
    chmodSync(join(home, name), 0o666);
    expectRefused(join(home, name), /writable by other accounts/u);
  });

  it.runIf(isRoot)('is refused by root if it belongs to another account', () => {
    mkdirSync(home, { mode: 0o700 });
    chownSync(home, ANOTHER_UID, ANOTHER_UID);
    expectRefused(home, /belongs to uid 12345, not to uid 0/u);
  });

  it.runIf(isRoot)('does not lend root the confirm secret of another account', () => {
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'confirm.secret'), `${'ab'.repeat(32)}\n`, { mode: 0o600 });
    chownSync(join(home, 'confirm.secret'), ANOTHER_UID, ANOTHER_UID);
    expectRefused(join(home, 'confirm.secret'), /belongs to uid 12345/u);
  });

  it.runIf(isRoot && ordinaryAccount !== null)('is refused by an ordinary account', () => {
    mkdirSync(home, { mode: 0o755 });
    chownSync(home, ANOTHER_UID, ANOTHER_UID);
    chmodSync(root.path, 0o755);
    const { code, stdout } = deedAsOrdinaryAccount(['context'], home);
    expect([code, (JSON.parse(stdout) as Envelope).error?.code]).toEqual([4, 'E_CONFIG']);
  });
});

describe.runIf(isRoot)('root with the home of another account, as sudo -E sets it', () => {
  const foreign = (path: string): void => lchownSync(path, ANOTHER_UID, ANOTHER_UID);
  const expectForeign = (argv: readonly string[], path: string): void => {
    const { code, envelope } = deed(argv, { home, cwd: root.path, env: { HOME: root.path } });
    expect([code, envelope.error]).toMatchObject([4, { code: 'E_CONFIG', details: { path } }]);
  };

  it('is refused if a link above the home belongs to that account', () => {
    mkdirSync(join(root.path, 'target/home'), { recursive: true, mode: 0o700 });
    const link = join(root.path, 'link');
    symlinkSync('target', link);
    foreign(link);
    home = join(link, 'home');
    expectForeign(['context'], link);
  });

  it('does not start the tool servers of that account', () => {
    const folder = join(root.path, '.ai-agent');
    mkdirSync(folder);
    const server = { command: 'touch', args: [join(root.path, 'started')] };
    writeFileSync(join(folder, 'ai-agent.json'), JSON.stringify({ mcpServers: { x: server } }));
    foreign(join(folder, 'ai-agent.json'));
    expectForeign(['agent', 'tools', '--tools', 'x'], join(folder, 'ai-agent.json'));
    foreign(folder);
    expectForeign(['agent', 'tools', '--tools', 'x'], folder);
    expect(existsSync(join(root.path, 'started'))).toBe(false);
  });

  it('does not install hooks through a link of that account', () => {
    const [settings, target] = [join(root.path, '.claude/settings.json'), join(root.path, 'target')];
    mkdirSync(join(root.path, '.claude'));
    writeFileSync(target, '{}');
    symlinkSync(target, settings);
    foreign(settings);
    expectForeign(['hook', 'install', '--claude', '--dry-run'], settings);
    expect(readFileSync(target, 'utf8')).toBe('{}');
  });
});

describe('a private home', () => {
  it.runIf(isRoot && ordinaryAccount !== null)('of root can be read by an ordinary account if it may', () => {
    mkdirSync(home, { mode: 0o755 });
    chmodSync(root.path, 0o755);
    expect(deedAsOrdinaryAccount(['context'], home).code).toBe(0);
  });

  it.runIf(ordinaryAccount !== null)('of an ordinary account is used', () => {
    mkdirSync(home, { mode: 0o700 });
    chmodSync(root.path, 0o755);
    giveToOrdinaryAccount(home);
    expect(deedAsOrdinaryAccount(['context'], home).code).toBe(0);
    expect(readdirSync(home)).toContain('audit');
  });

  it('does not append to the target of a link among its audit files', () => {
    expect(deed(['context'], { home }).code).toBe(0);
    const month = join(home, 'audit', `audit-${new Date().toISOString().slice(0, 7)}.jsonl`);
    const target = join(root.path, 'target');
    writeFileSync(target, 'untouched\n');
    rmSync(month);
    symlinkSync(target, month);
    const { stderr } = deed(['context'], { home });
    expect(stderr).toContain('not in the audit log');
    expect(deed(['config', 'set', 'list.limit', '7', '--dry-run'], { home }).code).toBe(0);
    expect(readFileSync(target, 'utf8')).toBe('untouched\n');
  });
});

describe('folders that deed makes outside its home', () => {
  it('are not writable by others under umask 000', () => {
    const open = ['/bin/sh', '-c', 'umask 000; exec "$0" "$@"', ...executable()];
    const project = join(root.path, 'project');
    mkdirSync(project);
    const options = { home, cwd: project, executable: open, env: { HOME: root.path } };
    expect(confirmed(['hook', 'install', '--claude', '--project'], options).code).toBe(0);
    const made = listing(root.path)
      .map((name) => join(root.path, name))
      .filter((path) => statSync(path).isDirectory() && path !== project && !path.startsWith(home));
    expect(made.length).toBeGreaterThan(0);
    expect(made.filter((path) => (statSync(path).mode & 0o022) !== 0)).toEqual([]);
  });
});
