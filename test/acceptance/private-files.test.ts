import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmed, executable, type RunOptions } from '../fixtures/run-deed.ts';

/** Checks the mode of every file in the home after one write of each kind. */
describe('the home of a caller with umask 000', () => {
  let root = '';
  let modes: ReadonlyMap<string, string>;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'deed-private-'));
    const cwd = join(root, 'project');
    mkdirSync(cwd);
    writeFileSync(join(cwd, '.deed.json'), '{"list.limit": 3}');
    const home = join(root, 'deep/home');
    const open = ['/bin/sh', '-c', 'umask 000; exec "$0" "$@"', ...executable()];
    const options: RunOptions = { home, cwd, executable: open };
    expect(confirmed(['config', 'set', 'list.limit', '7', '--request-id', 'one'], options).code).toBe(0);
    expect(confirmed(['config', 'trust', '.'], options).code).toBe(0);
    modes = modesBelow(home);
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it('contains all files of a write', () => {
    const month = new Date().toISOString().slice(0, 7);
    expect([...modes.keys()]).toEqual(
      expect.arrayContaining([
        '',
        'audit',
        `audit/audit-${month}.jsonl`,
        'audit/chain.key',
        'audit/head.json',
        'config.json',
        'confirm.secret',
        'consumed',
        'requests',
        'trust.json',
      ]),
    );
    expect(
      [...modes.keys()].filter((path) => /^consumed\/(?!pruned$)|^requests\/.*\.json$/u.test(path)),
    ).toHaveLength(3);
  });

  it('has files and folders that only the owner can access', () => {
    expect([...modes].filter(([, mode]) => mode !== 'file 600' && mode !== 'folder 700')).toEqual([]);
  });

  it('has private parent folders if it created them', () => {
    expect(describeMode(join(root, 'deep'))).toBe('folder 700');
  });
});

function modesBelow(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) =>
    join(folder, path),
  );
  return new Map([folder, ...entries].map((path) => [relative(folder, path), describeMode(path)]));
}

function describeMode(path: string): string {
  const stats = statSync(path);
  return `${stats.isDirectory() ? 'folder' : 'file'} ${(stats.mode & 0o7777).toString(8)}`;
}
