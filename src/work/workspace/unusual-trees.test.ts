import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorkTree, readTree, runIn, type WorkTree } from '../../../test/fixtures/work-tree.ts';
import { WORKSPACE_MODES, workspaceCapabilities } from '../../../test/fixtures/workspace-modes.ts';
import { deleteUnused } from './delete-unused.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { openWorkspace, reopenWorkspace } from './open-workspace.ts';
import { putObject, readObject } from './object-store.ts';
import { recover } from './promote-changes.ts';
import { promotionState } from './read-promotion.ts';
import { restore } from './restore.ts';
import { rollbackPromotion } from './rollback-promotion.ts';
import { restoreSnapshot } from './restore-snapshot.ts';

const trees: WorkTree[] = [];
const make = (files?: Record<string, string>): WorkTree => {
  const tree = createWorkTree(files);
  trees.push(tree);
  return tree;
};
afterEach(() => {
  for (const tree of trees.splice(0)) tree.dispose();
});

const listed = (changes: readonly { path: string; action: string; type: string }[]): string[] =>
  changes.map(({ path, action, type }) => `${action} ${type} ${path}`);

describe.each(WORKSPACE_MODES)('a workspace in mode %s', (mode) => {
  it('supports names with newlines, quotes, spaces and supplementary characters', async () => {
    const names = [
      'line\nbreak',
      '"quoted"',
      " 'x' ",
      'ünï',
      '\u{1F600}.txt',
      '\uFF5E.txt',
      '-dash',
      'a\\b',
      'tab\t',
    ];
    const tree = make(Object.fromEntries(names.map((name) => [name, name])));
    const workspace = await tree.open('names', { mode });
    await runIn(
      workspace,
      'for f in * .[!.]*; do [ -f "$f" ] && echo changed >> "$f"; done; mkdir "new\ndir"; echo n > "new\ndir/\nn"',
    );
    const { changes } = await workspace.diff();
    expect(changes.length).toBe(names.length + 1);
    const hash = await workspace.hashAfter(changes);
    await workspace.promote(changes);
    expect((await takeSnapshot(tree.context, tree.root)).hash).toBe(hash);
    expect(readTree(tree.root)['line\nbreak']).toBe('644 line\nbreakchanged\n');
  });

  it('makes no file or folder writable by all accounts, and leaves those that are', async () => {
    const tree = make({ shared: 'a', own: 'a', same: 'a' });
    chmodSync(join(tree.root, 'shared'), 0o666);
    const workspace = await tree.open('open-modes', { mode });
    await runIn(
      workspace,
      'echo b > shared; echo b > own; chmod 777 own; chmod 646 same; mkdir d; echo n > d/new; chmod 777 d; chmod 666 d/new',
    );
    const { changes } = await workspace.diff();
    const hash = await workspace.hashAfter(changes);
    await workspace.promote(changes);
    expect((await takeSnapshot(tree.context, tree.root)).hash).toBe(hash);
    expect(readTree(tree.root)).toEqual({
      shared: '666 b\n',
      own: '775 b\n',
      same: '644 a',
      d: 'dir',
      'd/new': '664 n\n',
    });
    expect(statSync(join(tree.root, 'd')).mode & 0o002).toBe(0);
  });

  it('can be in a folder of any name, as can the tree and the home', async () => {
    const tree = createWorkTree({ a: 'a' }, { name: `deed odd,name:with\\all "of" 'them' ü-` });
    trees.push(tree);
    const workspace = await tree.open('odd', { mode });
    // Without a sandbox the command sees the path of the copy.
    const seen = workspaceCapabilities.sandboxed ? tree.root : workspace.root;
    expect((await runIn(workspace, 'echo x > a; pwd; git status --short')).stdout).toBe(`${seen}\n M a\n`);
    await workspace.promote((await workspace.diff()).changes);
    expect(readTree(tree.root)).toEqual({ a: '644 x\n' });
    await rollbackPromotion(tree.context, 'odd');
    expect(readTree(tree.root)).toEqual({ a: '644 a' });
    await workspace.discard();
  });

  it('swaps files and folders in both directions, and rolls back', async () => {
    const tree = make({ file: 'f', 'folder/a': 'a', 'folder/deep/b': 'b', plain: 'p' });
    mkdirSync(join(tree.root, 'hollow'));
    const before = readTree(tree.root);
    const workspace = await tree.open('swap', { mode });
    await runIn(
      workspace,
      'rm file; mkdir file; echo in > file/inner; rm -r folder; echo now > folder; rmdir hollow; ln -s plain hollow; rm plain; mkdir plain',
    );
    const after = {
      file: 'dir',
      'file/inner': '644 in\n',
      folder: '644 now\n',
      hollow: 'link plain',
      plain: 'dir',
    };
    const { changes } = await workspace.diff();
    const hash = await workspace.hashAfter(changes);
    await workspace.promote(changes);
    expect(readTree(tree.root)).toEqual(after);
    expect((await takeSnapshot(tree.context, tree.root)).hash).toBe(hash);
    await rollbackPromotion(tree.context, 'swap');
    expect(readTree(tree.root)).toEqual(before);
  });

  it('keeps modes such as 0600 and 0400, and drops setuid bits', async () => {
    const tree = make({ secret: 's', run: 'r' });
    chmodSync(join(tree.root, 'secret'), 0o600);
    const workspace = await tree.open('modes', { mode });
    await runIn(
      workspace,
      'echo t > secret; umask 077; echo n > own; chmod 4755 run; echo r > fixed; chmod 400 fixed',
    );
    const { changes } = await workspace.diff();
    await workspace.promote(changes);
    const modes = ['secret', 'own', 'run', 'fixed'].map((name) =>
      (statSync(join(tree.root, name)).mode & 0o7777).toString(8),
    );
    expect(modes).toEqual(['600', '600', '755', '400']);
  });

  it('keeps names that are not UTF-8, and reports those that a run changed', async () => {
    const tree = make({ 'a.txt': 'a', '.gitignore': 'build/\n' });
    const named = (name: string): Buffer =>
      Buffer.concat([Buffer.from(`${tree.root}/`), Buffer.from(name, 'latin1')]);
    mkdirSync(named('caf\xe9'));
    for (const name of ['caf\xe9/inner', 'old\xff']) writeFileSync(named(name), 'kept');
    const snapshot = await takeSnapshot(tree.context, tree.root);
    expect(snapshot.skipped.map(({ path }) => path).sort()).toEqual(['caf\uFFFD', 'old\uFFFD']);
    const open = (runId: string) =>
      openWorkspace(tree.context, { runId, snapshot, policy: { network: true }, mode });
    if (mode === 'copy') {
      await expect(open('lossy')).rejects.toMatchObject({
        code: 'E_VALIDATION',
        details: { paths: expect.arrayContaining(['old\uFFFD']) },
      });
      for (const name of ['caf\xe9', 'old\xff']) rmSync(named(name), { recursive: true });
    }
    const workspace = mode === 'copy' ? await tree.open('lossy', { mode }) : await open('lossy');
    await runIn(workspace, `mkdir build; echo x > "build/$(printf 'o\\377')"; echo b > a.txt`);
    const diff = await workspace.diff();
    expect([listed(diff.changes), diff.unsupported]).toEqual([['modify file a.txt'], []]);
    await runIn(workspace, `echo x > "$(printf 'n\\377')"; ln -s "$(printf 't\\377')" link`);
    expect((await workspace.diff()).unsupported).toEqual(['n\uFFFD', 'link']);
    if (mode === 'overlay') {
      await runIn(workspace, `rm "$(printf 'old\\377')"; cat "$(printf 'caf\\351/inner')" > seen`);
      const { changes, unsupported } = await workspace.diff();
      expect(listed(changes)).toContain('create file seen');
      expect([...unsupported].sort()).toEqual(['link', 'n\uFFFD', 'old\uFFFD']);
      await workspace.promote(diff.changes);
      expect(readFileSync(named('old\xff'), 'utf8')).toBe('kept');
    }
  });

  it('skips fifos and sockets, and reports them', async () => {
    const tree = make({ 'a.txt': 'a', pipe: 'tracked' });
    rmSync(join(tree.root, 'pipe'));
    execFileSync('mkfifo', [join(tree.root, 'pipe'), join(tree.root, 'unseen-by-git')]);
    const snapshot = await takeSnapshot(tree.context, tree.root);
    expect(snapshot.skipped).toEqual([{ path: 'pipe', reason: 'not a file, symlink or folder' }]);
    const workspace = await openWorkspace(tree.context, {
      runId: 'fifo',
      snapshot,
      policy: { network: true },
      mode,
    });
    await runIn(workspace, 'mkfifo inner; echo x > b');
    const { changes, skipped } = await workspace.diff();
    expect(listed(changes)).toEqual(['create file b']);
    expect(skipped.map(({ path }) => path)).toContain('inner');
  });

  it('ignores identical copies, touched files and reverted edits', async () => {
    const tree = make({ a: 'a', b: 'b', 'd/c': 'c' });
    const workspace = await tree.open('same', { mode });
    await runIn(
      workspace,
      'touch a; cp b x; rm b; mv x b; chmod 644 b; rm -r d; mkdir d; printf c > d/c; chmod 644 d/c',
    );
    expect((await workspace.diff()).changes).toEqual([]);
  });

  it('omits ignored files unless they are declared, also by rules that the run wrote', async () => {
    const tree = make({ '.gitignore': 'dist/\n*.log\n', a: 'a' });
    tree.write('dist/old', 'old');
    const workspace = await tree.open('ignored', { mode });
    await runIn(
      workspace,
      'echo x > debug.log; echo "late/" >> .gitignore; mkdir late; echo x > late/x; echo y > seen',
    );
    const { changes, ignored } = await workspace.diff();
    expect(listed(changes)).toEqual(['modify file .gitignore', 'create file seen']);
    expect(ignored).toBe(2);
    const declared = await workspace.diff({ declared: ['/late', 'debug.log'] });
    expect(listed(declared.changes)).toEqual([
      'modify file .gitignore',
      'create file debug.log',
      'create file late/x',
      'create file seen',
    ]);
    const expected = await workspace.hashAfter(declared.changes);
    await workspace.promote(declared.changes);
    expect((await takeSnapshot(tree.context, tree.root)).hash).toBe(expected);
    expect(readTree(tree.root)['late/x']).toBe('644 x\n');
  });

  it.each(['', '; echo seen > .gitignore'])(
    'denies files in a submodule that is not checked out%s',
    async (more) => {
      const tree = make({ a: 'a' });
      const commit = tree.git('rev-parse', 'HEAD').trim();
      tree.git('update-index', '--add', '--cacheinfo', `160000,${commit},module`);
      tree.git('commit', '-q', '-m', 'module');
      mkdirSync(join(tree.root, 'module'));
      const workspace = await tree.open('module', { mode });
      await runIn(workspace, `echo x > a; echo x > module/new${more}`);
      await expect(workspace.diff()).rejects.toMatchObject({
        code: 'E_DENIED',
        message: 'module/new is in the submodule module, which is not checked out.',
      });
    },
  );

  it('includes nested repositories and submodules, but never a .git', async () => {
    const tree = make({ a: 'a' });
    const inner = (path: string): void => {
      mkdirSync(join(tree.root, path), { recursive: true });
      const git = (...args: string[]): void => {
        execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
          cwd: join(tree.root, path),
          stdio: 'ignore',
        });
      };
      git('init', '-q');
      writeFileSync(join(tree.root, path, 'inside'), 'old');
      writeFileSync(join(tree.root, path, '.gitignore'), 'skip\n');
      git('add', '-A');
      git('commit', '-q', '-m', 'x');
    };
    inner('nested');
    inner('module');
    tree.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', './module', 'module');
    tree.git('commit', '-q', '-m', 'module');
    const heads = () =>
      ['nested', 'module'].map((path) =>
        execFileSync('git', ['rev-parse', 'HEAD'], { cwd: join(tree.root, path), encoding: 'utf8' }),
      );
    const before = heads();
    const workspace = await tree.open('nested', { mode });
    const commit = 'git -c user.name=t -c user.email=t@t commit -q --allow-empty -m inside';
    const committed = await runIn(workspace, `(cd nested && ${commit}) && (cd module && ${commit})`);
    expect([committed.exitCode, heads()]).toEqual([0, before]);
    await runIn(
      workspace,
      'echo new > nested/inside; echo new > module/inside; echo x > nested/skip; echo n > nested/more; echo evil > .git/hooks/post-commit; rm -rf nested/.git; git init -q fresh; echo f > fresh/f',
    );
    const { changes } = await workspace.diff();
    expect(listed(changes)).toEqual([
      'create file fresh/f',
      'modify file module/inside',
      'modify file nested/inside',
      'create file nested/more',
    ]);
    await workspace.promote(changes);
    expect(existsSync(join(tree.root, 'nested/.git/HEAD'))).toBe(true);
    expect(existsSync(join(tree.root, '.git/hooks/post-commit'))).toBe(false);
    expect(existsSync(join(tree.root, 'fresh/.git'))).toBe(false);
  });

  it('copies bytes unchanged regardless of git filters', async () => {
    const tree = make({
      '.gitattributes': '*.txt text eol=crlf\n*.bin filter=lfs -text\n',
      'a.txt': 'x\r\ny\r\n',
      'p.bin': 'raw',
    });
    tree.git('config', 'filter.lfs.clean', 'false');
    tree.git('config', 'filter.lfs.smudge', 'false');
    const workspace = await tree.open('filters', { mode });
    await runIn(workspace, String.raw`printf 'x\r\nz\n' > a.txt; printf 'r\000w' > p.bin`);
    const { changes } = await workspace.diff();
    await workspace.promote(changes);
    expect(readTree(tree.root)).toMatchObject({ 'a.txt': '644 x\r\nz\n', 'p.bin': '644 r\0w' });
  });

  it('survives a command that deletes everything', async () => {
    const tree = make({ a: 'a', 'd/b': 'b' });
    const before = readTree(tree.root, { git: true });
    const workspace = await tree.open('rm', { mode });
    await runIn(workspace, 'rm -rf ./* ./.[!.]* 2>/dev/null; cd ..; rm -rf repo 2>/dev/null; true');
    const { changes } = await workspace.diff();
    expect(listed(changes)).toEqual(['delete file a', 'delete file d/b']);
    expect(readTree(tree.root, { git: true })).toEqual(before);
    await workspace.promote(changes);
    expect(readTree(tree.root)).toEqual({});
    await workspace.discard();
    expect(readdirSync(join(tree.context.folder, 'workspaces'))).toEqual([]);
  });

  it('runs tests on a temporary layer', async () => {
    const tree = make({ a: 'a' });
    const workspace = await tree.open('tests', { mode });
    await runIn(workspace, 'echo run > made');
    const { stdout } = await runIn(workspace, 'cat made; echo t > made; echo t > by-test; rm a; ls', {
      layer: 'tests',
    });
    expect(stdout).toBe('run\nby-test\nmade\n');
    const { changes } = await workspace.diff();
    expect(listed(changes)).toEqual(['create file made']);
    await workspace.promote(changes);
    expect(readTree(tree.root)).toMatchObject({ a: '644 a', made: '644 run\n' });
  });

  it('detects changes by the user: the same path is a conflict, another one is drift', async () => {
    const tree = make({ a: 'a', b: 'b', c: 'c' });
    const workspace = await tree.open('drift', { mode });
    await runIn(workspace, 'echo run > a');
    const { changes } = await workspace.diff();
    tree.write('b', 'user');
    expect(await workspace.drift(changes)).toEqual({ conflicts: [], others: ['b'] });
    await workspace.rebase();
    expect((await runIn(workspace, 'cat a b')).stdout).toBe('run\nuser');
    expect(listed((await workspace.diff()).changes)).toEqual(['modify file a']);
    tree.write('a', 'mine');
    expect(await workspace.drift(changes)).toEqual({ conflicts: ['a'], others: [] });
    await expect(workspace.promote(changes)).rejects.toMatchObject({
      code: 'E_CONFLICT',
      details: { paths: ['a'] },
    });
    expect(readTree(tree.root)).toEqual({ a: '644 mine', b: '644 user', c: '644 c' });
  });

  it('can be reopened by another process, and then the first process cannot promote it', async () => {
    const tree = make();
    const first = await tree.open('kept', { mode });
    await runIn(first, 'echo two > a.txt');
    const { changes } = await first.diff();
    if (workspaceCapabilities.libc !== undefined)
      await expect(reopenWorkspace(tree.context, 'kept')).rejects.toMatchObject({
        code: 'E_CONFLICT',
        details: { reason: 'held' },
      });
    first.close();
    const second = await reopenWorkspace(tree.context, 'kept');
    await expect(first.promote(changes)).rejects.toMatchObject({
      code: 'E_CONFLICT',
      details: { reason: 'stale' },
    });
    expect((await second.diff()).changes).toEqual(changes);
    await second.promote(changes);
    expect(readTree(tree.root)).toEqual({ 'a.txt': '644 two\n' });
    expect([promotionState(tree.context, 'kept'), promotionState(tree.context, 'other')]).toEqual([
      'committed',
      'none',
    ]);
    await second.discard();
  });

  it('can be rolled back only if its files were not changed since', async () => {
    const tree = make({ a: 'a', b: 'b' });
    const workspace = await tree.open('undo', { mode });
    await runIn(workspace, 'echo run > a; echo new > n; rm b');
    await workspace.promote((await workspace.diff()).changes);
    tree.write('n', 'later');
    const later = readTree(tree.root);
    await expect(rollbackPromotion(tree.context, 'undo')).rejects.toMatchObject({
      code: 'E_CONFLICT',
      details: { paths: ['n'] },
    });
    expect(readTree(tree.root)).toEqual(later);
    tree.write('n', 'new\n');
    await rollbackPromotion(tree.context, 'undo');
    expect(readTree(tree.root)).toEqual({ a: '644 a', b: '644 b' });
    expect(await recover(tree.context)).toEqual([]);
  });

  it('works in a repository without commits, during a rebase and in a linked worktree', async () => {
    const empty = make({});
    const unborn = await empty.open('unborn', { mode });
    expect([unborn.base.head, unborn.base.branch]).toEqual([null, 'main']);
    await runIn(unborn, 'echo first > file');
    await unborn.promote((await unborn.diff()).changes);
    expect(readTree(empty.root)).toEqual({ file: '644 first\n' });

    const tree = make({ a: 'base\n' });
    tree.git('checkout', '-q', '-b', 'side');
    tree.write('a', 'side\n');
    tree.git('commit', '-qam', 'side');
    tree.git('checkout', '-q', 'main');
    tree.write('a', 'main\n');
    tree.git('commit', '-qam', 'main');
    expect(() => tree.git('rebase', 'side')).toThrow();
    const index = tree.git('ls-files', '-s');
    const rebasing = await tree.open('rebasing', { mode });
    expect(rebasing.base.branch).toBeNull();
    await runIn(rebasing, 'echo solved > a');
    await rebasing.promote((await rebasing.diff()).changes);
    expect(tree.git('ls-files', '-s')).toBe(index);
    expect(readTree(tree.root)).toEqual({ a: '644 solved\n' });
    tree.git('rebase', '--abort');

    const linked = join(dirname(tree.root), 'linked');
    tree.git('worktree', 'add', '-q', linked, 'side');
    const worktree = await openWorkspace(tree.context, {
      runId: 'linked',
      snapshot: await takeSnapshot(tree.context, linked),
      policy: { network: true },
      mode,
    });
    const { stdout } = await runIn(worktree, 'echo w > a; git status --short');
    expect(stdout).toBe(' M a\n');
    await worktree.promote((await worktree.diff()).changes);
    expect(readTree(linked)).toEqual({ a: '644 w\n' });
  });
});

describe('an ordinary account', () => {
  it('gets a copy if the tree has files of other groups, and reports it', async () => {
    const tree = make();
    if (tree.context.uid === 0 || workspaceCapabilities.mode !== 'overlay') return;
    const snapshot = { ...(await takeSnapshot(tree.context, tree.root)), ownEntries: false };
    const workspace = await tree.open('foreign', { snapshot });
    expect([workspace.mode, workspace.sandboxed, workspace.fallbacks.length]).toEqual(['copy', true, 1]);
  });
});

describe('a tree', () => {
  it('must be a working tree, not a bare repository, a .git folder or a folder without a repository', async () => {
    const tree = make();
    const bare = join(dirname(tree.root), 'bare.git');
    tree.git('clone', '-q', '--bare', '.', bare);
    for (const path of [bare, join(tree.root, '.git'), dirname(tree.root)])
      await expect(takeSnapshot(tree.context, path)).rejects.toMatchObject({ code: 'E_VALIDATION' });
    await expect(takeSnapshot(tree.context, join(tree.root, 'nowhere'))).rejects.toMatchObject({
      code: 'E_NOT_FOUND',
    });
  });

  it('cannot be the home folder or contain it', async () => {
    const tree = make();
    const home = join(tree.root, 'home');
    mkdirSync(home);
    for (const accountHome of [tree.root, home])
      await expect(takeSnapshot({ ...tree.context, accountHome }, tree.root)).rejects.toMatchObject({
        code: 'E_PROTECTED',
      });
    await expect(
      takeSnapshot({ ...tree.context, folder: join(tree.root, '.deed/work') }, tree.root),
    ).rejects.toMatchObject({
      code: 'E_VALIDATION',
    });
  });

  it('is hashed by its content, modes, links and empty folders only', async () => {
    const tree = make({ a: 'a', 'd/b': 'b' });
    const hash = async (): Promise<string> => (await takeSnapshot(tree.context, tree.root)).hash;
    const first = await hash();
    utimesSync(join(tree.root, 'a'), 1, 1);
    tree.write('.git/info/exclude', 'ignored\n');
    tree.write('ignored', 'x');
    expect(await hash()).toBe(first);
    const seen = new Set([first]);
    for (const change of [
      () => tree.write('a', 'A'),
      () => chmodSync(join(tree.root, 'a'), 0o755),
      () => mkdirSync(join(tree.root, 'empty/inner'), { recursive: true }),
      () => symlinkSync('a', join(tree.root, 'l')),
      () => renameSync(join(tree.root, 'd/b'), join(tree.root, 'd/c')),
    ]) {
      change();
      seen.add(await hash());
    }
    expect(seen.size).toBe(6);
    rmSync(join(tree.root, 'l'));
    rmSync(join(tree.root, 'empty'), { recursive: true });
    renameSync(join(tree.root, 'd/c'), join(tree.root, 'd/b'));
    tree.write('a', 'a');
    expect(await hash()).toBe(first);
  });

  it('is read without changing index, refs or timestamps', async () => {
    const tree = make({ a: 'a' });
    utimesSync(join(tree.root, 'a'), 1000, 1000);
    const facts = (): unknown[] =>
      ['.git/index', '.git/HEAD', 'a', '.', '.git'].map((path) => lstatSync(join(tree.root, path)).mtimeMs);
    const before = facts();
    await takeSnapshot(tree.context, tree.root);
    expect(facts()).toEqual(before);
  });

  it('is hashed correctly after changes of the same size within one clock tick', async () => {
    const tree = make({ a: 'aaaa' });
    const hashes = new Set<string>();
    for (let index = 0; index < 8; index += 1) {
      tree.write('a', `a${String(index).padStart(3, '0')}`);
      hashes.add((await takeSnapshot(tree.context, tree.root)).hash);
    }
    expect(hashes.size).toBe(8);
  });

  it('is restored from a snapshot with contents, in place and elsewhere', async () => {
    const tree = make({ a: 'a', 'd/b': 'b' });
    mkdirSync(join(tree.root, 'hollow'));
    symlinkSync('a', join(tree.root, 'l'));
    const before = readTree(tree.root);
    const snapshot = await takeSnapshot(tree.context, tree.root, { contents: true });
    tree.write('a', 'changed');
    tree.write('extra/file', 'x');
    rmSync(join(tree.root, 'd'), { recursive: true });
    rmSync(join(tree.root, 'hollow'), { recursive: true });
    await restoreSnapshot(tree.context, snapshot.id);
    expect(readTree(tree.root)).toEqual(before);
    expect((await takeSnapshot(tree.context, tree.root)).hash).toBe(snapshot.hash);
    const elsewhere = join(dirname(tree.root), 'elsewhere');
    await restore(tree.context, snapshot.id, elsewhere);
    expect(readTree(elsewhere)).toEqual(before);
  });

  it('is not partially restored if content was never stored', async () => {
    const tree = make({ a: 'a' });
    const snapshot = await takeSnapshot(tree.context, tree.root);
    tree.write('a', 'changed');
    await expect(restoreSnapshot(tree.context, snapshot.id)).rejects.toMatchObject({
      code: 'E_DAMAGED',
      details: { paths: ['a'] },
    });
    expect(readTree(tree.root)).toEqual({ a: '644 changed' });
  });

  it('of another user keeps its owner when root works in it', async () => {
    const tree = make({ a: 'a', 'd/b': 'b' });
    if (tree.context.uid !== 0) return;
    chmodSync(dirname(tree.root), 0o755);
    for (const path of ['', 'a', 'd', 'd/b', ...listFiles(tree.root, '.git')])
      chownSync(join(tree.root, path), 1234, 2345);
    const workspace = await tree.open('owner');
    await runIn(workspace, 'echo x > a; rm a; echo new > a; mkdir -p d/n/m; echo y > d/n/m/y; ln -s a l');
    await workspace.promote((await workspace.diff()).changes);
    const owners = ['a', 'd/n', 'd/n/m/y', 'l'].map((path) => {
      const { uid, gid } = lstatSync(join(tree.root, path));
      return [uid, gid];
    });
    expect(owners).toEqual(Array.from({ length: 4 }, () => [1234, 2345]));
  });

  it('whose parent folder was replaced by a link outside is a conflict, and nothing is written there', async () => {
    const tree = make({ 'd/a': 'a' });
    const workspace = await tree.open('moved');
    await runIn(workspace, 'echo x > d/a; echo y > d/new');
    const { changes } = await workspace.diff();
    const outside = join(dirname(tree.root), 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'a'), 'a');
    rmSync(join(tree.root, 'd'), { recursive: true });
    symlinkSync(outside, join(tree.root, 'd'));
    await expect(workspace.promote(changes)).rejects.toMatchObject({ code: 'E_CONFLICT' });
    expect(readTree(outside)).toEqual({ a: '644 a' });
  });
});

describe('the object store', () => {
  it('returns stored content, and reports missing or corrupt content', async () => {
    const { context } = make();
    const hash = putObject(context, Buffer.from('content'));
    expect(readObject(context, hash).toString()).toBe('content');
    expect(() => readObject(context, '0'.repeat(64))).toThrow(expect.objectContaining({ code: 'E_DAMAGED' }));
    writeFileSync(
      join(context.folder, 'objects', `${hash}.pack`),
      'CONTENT{"' + hash + '":[0,7]}' + '76'.padStart(20, '0'),
    );
    expect(() => readObject(context, hash)).toThrow(expect.objectContaining({ code: 'E_DAMAGED' }));
  });

  it('is garbage-collected without losing needed content', async () => {
    const tree = make({ a: 'a' });
    const workspace = await tree.open('old');
    await runIn(workspace, 'echo x > a');
    await workspace.promote((await workspace.diff()).changes);
    workspace.close();
    const held = await tree.open('held');
    const kept = putObject(tree.context, Buffer.from('kept'));
    const lost = putObject(tree.context, Buffer.from('lost'));
    const collected = await deleteUnused(tree.context, {
      objects: new Set([kept]),
      runs: new Set(),
      open: new Set(),
      snapshots: new Set([held.base.id]),
    });
    expect(collected).toMatchObject({ packs: 2, workspaces: 1 });
    expect(readObject(tree.context, kept).toString()).toBe('kept');
    expect(() => readObject(tree.context, lost)).toThrow(expect.objectContaining({ code: 'E_DAMAGED' }));
    expect((await runIn(held, 'cat a')).stdout).toBe('x\n');
    expect((await held.diff()).changes).toEqual([]);
    await held.discard();
  });
});

/** Lists a folder with everything below it. */
function listFiles(root: string, path: string): readonly string[] {
  if (!lstatSync(join(root, path)).isDirectory()) return [path];
  return [path, ...readdirSync(join(root, path)).flatMap((name) => listFiles(root, `${path}/${name}`))];
}
