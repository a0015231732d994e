import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorkTree, readTree, runIn, type WorkTree } from '../../../test/fixtures/work-tree.ts';
import { WORKSPACE_MODES } from '../../../test/fixtures/workspace-modes.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { restore } from './restore.ts';
import { rollbackPromotion } from './rollback-promotion.ts';

const trees: WorkTree[] = [];
const make = (files?: Record<string, string>): WorkTree => {
  const tree = createWorkTree(files);
  trees.push(tree);
  return tree;
};
afterEach(() => {
  for (const tree of trees.splice(0)) tree.dispose();
});

describe('storing the base of a workspace', () => {
  it('makes it restorable, and fails if a file was changed, deleted or replaced by a link', async () => {
    const tree = make({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const workspace = await tree.open('keep');
    expect(workspace.storeBase()).toBe(true);
    const folder = mkdtempSync(join(tmpdir(), 'restored-'));
    restore(tree.context, workspace.base.id, folder);
    expect(readTree(folder)).toEqual({ 'a.txt': '644 one\n', 'b.txt': '644 two\n' });
    rmSync(folder, { recursive: true });
    await workspace.discard();

    tree.write('a.txt', 'new\n');
    const moved = await tree.open('moved');
    tree.write('a.txt', 'newer\n');
    expect(moved.storeBase()).toBe(false);
    rmSync(join(tree.root, 'a.txt'));
    expect(moved.storeBase()).toBe(false);
    symlinkSync('b.txt', join(tree.root, 'a.txt'));
    expect(moved.storeBase()).toBe(false);
    await moved.discard();
  });
});

describe.each(WORKSPACE_MODES)('a workspace in mode %s', (mode) => {
  it('collects the writes of a command, lists them, and promotes them atomically', async () => {
    const tree = make({
      'a.txt': 'one\n',
      'd/x': 'x\n',
      'd/y': 'y\n',
      'gone/z': 'z\n',
      '.gitignore': 'ignored/\n',
    });
    tree.write('ignored/cache', 'kept\n');
    const before = readTree(tree.root, { git: true });
    const workspace = await tree.open('run-1', { mode });
    expect(workspace.mode).toBe(mode);
    const done = await runIn(
      workspace,
      'echo two > a.txt; rm d/x; mkdir -p new/deep; echo n > new/deep/n; chmod 755 d/y; rm -r gone; ln -s a.txt link; cat ignored/cache; git status --short; git commit -qam x; pwd',
      {
        env: {
          GIT_AUTHOR_NAME: 'a',
          GIT_AUTHOR_EMAIL: 'a@b',
          GIT_COMMITTER_NAME: 'a',
          GIT_COMMITTER_EMAIL: 'a@b',
        },
      },
    );
    expect(done.stderr).toBe('');
    expect(done.stdout).toContain('kept');
    expect(done.stdout).toContain(workspace.root);
    expect(readTree(tree.root, { git: true })).toEqual(before);
    const { changes, skipped, ignored } = await workspace.diff();
    expect([skipped, ignored]).toEqual([[], 0]);
    expect(changes.map(({ path, action, type }) => `${action} ${type} ${path}`)).toEqual([
      'modify file a.txt',
      'delete file d/x',
      'modify file d/y',
      'delete file gone/z',
      'create symlink link',
      'create file new/deep/n',
    ]);
    const expected = await workspace.hashAfter(changes);
    expect(await workspace.drift(changes)).toEqual({ conflicts: [], others: [] });
    const promotion = await workspace.promote(changes);
    expect(promotion).toEqual({ runId: 'run-1', method: 'exchange', fallbacks: [], drift: [] });
    await workspace.discard();
    expect((await takeSnapshot(tree.context, tree.root)).hash).toBe(expected);
    expect(readTree(tree.root)).toEqual({
      '.gitignore': '644 ignored/\n',
      'a.txt': '644 two\n',
      d: 'dir',
      'd/y': '755 y\n',
      ignored: 'dir',
      'ignored/cache': '644 kept\n',
      link: 'link a.txt',
      new: 'dir',
      'new/deep': 'dir',
      'new/deep/n': '644 n\n',
    });
    await rollbackPromotion(tree.context, 'run-1');
    expect(readTree(tree.root, { git: true })).toEqual(before);
  });
});
