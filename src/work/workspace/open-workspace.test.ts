import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { measureFolder } from '../../system/measure-folder.ts';
import { createWorkTree, readTree, runIn, type WorkTree } from '../../../test/fixtures/work-tree.ts';
import { WORKSPACE_MODES } from '../../../test/fixtures/workspace-modes.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { readManifest } from './manifest-store.ts';
import { restore } from './restore.ts';
import { storeBase } from './store-contents.ts';
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
    expect(await workspace.storeBase()).toBe(true);
    const folder = mkdtempSync(join(tmpdir(), 'restored-'));
    await restore(tree.context, workspace.base.id, folder);
    expect(readTree(folder)).toEqual({ 'a.txt': '644 one\n', 'b.txt': '644 two\n' });
    rmSync(folder, { recursive: true });
    await workspace.discard();

    tree.write('a.txt', 'new\n');
    const moved = await tree.open('moved');
    tree.write('a.txt', 'newer\n');
    expect(await moved.storeBase()).toBe(false);
    rmSync(join(tree.root, 'a.txt'));
    expect(await moved.storeBase()).toBe(false);
    symlinkSync('b.txt', join(tree.root, 'a.txt'));
    expect(await moved.storeBase()).toBe(false);
    await moved.discard();
  });
});

describe('storing the base of a large tree', () => {
  const store = async (tree: WorkTree): Promise<{ id: string; objects: string[] }> => {
    const { id, hash } = await takeSnapshot(tree.context, tree.root);
    // Every tree is large for this test.
    expect(await storeBase(tree.context, tree.root, readManifest(tree.context, hash), 0)).toBe(true);
    return { id, objects: readdirSync(join(tree.context.folder, 'objects')) };
  };
  const restored = async (tree: WorkTree, id: string): Promise<Record<string, string>> => {
    const folder = mkdtempSync(join(tmpdir(), 'restored-'));
    try {
      await restore(tree.context, id, folder);
      return readTree(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  it('copies nothing that git has, and restores it from git', async () => {
    const tree = make({ 'a.txt': 'one\n', 'b/c.txt': 'two\n', 'b/same.txt': 'one\n' });
    const first = await store(tree);
    expect(first.objects).toEqual([expect.stringMatching(/^snapshot-.*\.git\.json$/u)]);
    expect(await restored(tree, first.id)).toMatchObject({
      'a.txt': '644 one\n',
      'b/c.txt': '644 two\n',
      'b/same.txt': '644 one\n',
    });
    expect((await store(tree)).objects).toEqual(first.objects);
  });

  it('copies what git does not have, or has with other line endings', async () => {
    const tree = make({ 'a.txt': 'one\n', '.gitattributes': '*.crlf text eol=crlf\n' });
    tree.write('x.crlf', 'three\r\n');
    tree.git('add', '-A');
    tree.git('commit', '-qm', 'x');
    tree.write('a.txt', 'changed\n');
    tree.write('new.txt', 'new\n');
    const { id, objects } = await store(tree);
    expect(objects.map((name) => name.replace(/[0-9a-f]{8,}/u, '*')).toSorted()).toEqual([
      'snapshot-*.git.json',
      'snapshot-*.pack',
    ]);
    rmSync(join(tree.root, 'new.txt'));
    expect(await restored(tree, id)).toMatchObject({
      'a.txt': '644 changed\n',
      'new.txt': '644 new\n',
      'x.crlf': '644 three\r\n',
    });
  });

  it('copies no large file that only the tree has, restores it from there, and keeps it before a run changes it', async () => {
    const tree = make({ 'a.txt': 'one\n' });
    const large = 'x'.repeat(2 * 1024 * 1024);
    for (const name of ['changed.bin', 'removed.bin', 'same.bin']) tree.write(name, `${large} ${name}`);
    const workspace = await tree.open('run-large');
    expect(await storeBase(tree.context, tree.root, readManifest(tree.context, workspace.base.hash), 0)).toBe(
      true,
    );
    const packs = join(tree.context.folder, 'objects');
    expect(measureFolder(packs)).toBeLessThan(100_000);
    await runIn(workspace, 'echo two > changed.bin; rm removed.bin');
    await workspace.promote((await workspace.diff()).changes);
    await workspace.discard();
    const state = await restored(tree, workspace.base.id);
    for (const name of ['changed.bin', 'removed.bin', 'same.bin'])
      expect(state[name] === `644 ${large} ${name}`, name).toBe(true);
    await rollbackPromotion(tree.context, 'run-large');
    expect(readTree(tree.root)['removed.bin'] === `644 ${large} removed.bin`).toBe(true);
    // A second run records nothing again.
    const files = readdirSync(packs);
    expect((await store(tree)).objects).toEqual(files);
  });

  it('reports a large file that others have changed since', async () => {
    const tree = make({ 'a.txt': 'one\n' });
    tree.write('large.bin', 'x'.repeat(2 * 1024 * 1024));
    const { id } = await store(tree);
    tree.write('large.bin', 'y'.repeat(2 * 1024 * 1024));
    await expect(restored(tree, id)).rejects.toMatchObject({
      code: 'E_NOT_FOUND',
      message: expect.stringContaining('large.bin'),
      details: { path: tree.root, paths: ['large.bin'] },
    });
    rmSync(join(tree.root, 'large.bin'));
    await expect(restored(tree, id)).rejects.toMatchObject({ code: 'E_NOT_FOUND' });
  });

  it('reports a state that the repository no longer has', async () => {
    const tree = make({ 'a.txt': 'one\n' });
    const { id } = await store(tree);
    const blob = tree.git('rev-parse', ':a.txt').trim();
    rmSync(join(tree.root, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    await expect(restored(tree, id)).rejects.toMatchObject({ code: 'E_NOT_FOUND' });
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
