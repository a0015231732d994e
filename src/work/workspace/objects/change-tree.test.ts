import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LONG } from '../../../../test/fixtures/start-node.ts';
import { createWorkTree, type WorkTree } from '../../../../test/fixtures/work-tree.ts';
import { changeTree, type PathChange } from './change-tree.ts';
import { renderCommitObject } from './commit-object.ts';
import { writeObject } from './write-object.ts';

let tree: WorkTree;
beforeEach(() => (tree = createWorkTree({ 'a.txt': 'one\n' })));
afterEach(() => tree.dispose());

const blobOf = (text: string): Promise<string> =>
  writeObject(tree.context, tree.root, 'blob', Buffer.from(text));
const head = (): string => tree.git('rev-parse', 'HEAD').trim();

/** Makes the changes with git itself, in a separate index. */
function changeByGit(changes: readonly PathChange[]): string {
  const index = join(tree.root, '.git', 'index-of-test');
  const run = (args: readonly string[], input = ''): string =>
    execFileSync('git', args, {
      cwd: tree.root,
      input,
      encoding: 'utf8',
      env: { ...process.env, GIT_INDEX_FILE: index },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  run(['read-tree', 'HEAD']);
  const lines = changes
    .toSorted((left, right) => Number(left.entry !== undefined) - Number(right.entry !== undefined))
    .map(({ path, entry }) =>
      entry === undefined ? `0 ${'0'.repeat(40)}\t${path}\0` : `${entry.mode} ${entry.id}\t${path}\0`,
    );
  run(['update-index', '-z', '--index-info'], lines.join(''));
  return run(['write-tree']).trim();
}

it('writes the trees that git writes, for any changes of files and folders', async () => {
  const paths = ['a', 'a.b', 'a/b', 'a/b/c', 'a0', 'b/ü', 'b/x y', 'line\nbreak/f', 'd/e/f/g', 'd/e/h'];
  const [old, now] = [await blobOf('old'), await blobOf('new')];
  const kinds = fc.constantFrom('none', 'keep', 'delete', 'write', 'executable');
  await fc.assert(
    fc.asyncProperty(
      fc.array(kinds, { minLength: paths.length, maxLength: paths.length }),
      async (picked) => {
        const isFree = (path: string, index: number): boolean =>
          !paths.some((other, at) => at < index && picked[at] !== 'none' && overlaps(other, path));
        const chosen = paths.flatMap((path, index) =>
          picked[index] === 'none' || !isFree(path, index) ? [] : [{ path, kind: picked[index] ?? '' }],
        );
        const before = chosen
          .filter(({ kind }) => kind !== 'write')
          .map(({ path }) => ({ path, entry: { mode: '100644', id: old } }));
        commitState(before);
        const changes = chosen.flatMap(({ path, kind }): PathChange[] => {
          if (kind === 'keep') return [];
          if (kind === 'delete') return [{ path }];
          return [{ path, entry: { mode: kind === 'write' ? '100644' : '100755', id: now } }];
        });
        expect(await changeTree(tree.context, { root: tree.root, commit: head() }, changes)).toBe(
          changeByGit(changes),
        );
      },
    ),
    { numRuns: LONG ? 60 : 5 },
  );
});

/** Commits a state that has exactly these files. */
function commitState(files: readonly PathChange[]): void {
  tree.git('read-tree', '--empty');
  execFileSync('git', ['update-index', '-z', '--index-info'], {
    cwd: tree.root,
    input: files.map(({ path, entry }) => `${entry?.mode} ${entry?.id}\t${path}\0`).join(''),
  });
  tree.git('commit', '-q', '--allow-empty', '-m', 'state');
}

function overlaps(left: string, right: string): boolean {
  return left === right || left.startsWith(`${right}/`) || right.startsWith(`${left}/`);
}

it('replaces a file with a folder and a folder with a file', async () => {
  for (const path of ['file', 'folder/deep/one', 'folder/two']) tree.write(path, path);
  tree.git('add', '.');
  tree.git('commit', '-qm', 'files');
  const entry = { mode: '100644', id: await blobOf('new') };
  const changes = [
    { path: 'file/inside', entry },
    { path: 'file' },
    { path: 'folder/deep/one' },
    { path: 'folder/two' },
    { path: 'folder', entry },
  ];
  const made = await changeTree(tree.context, { root: tree.root, commit: head() }, changes);
  expect(made).toBe(changeByGit(changes));
  expect(tree.git('ls-tree', '-r', '--name-only', made).trim().split('\n')).toEqual([
    'a.txt',
    'file/inside',
    'folder',
  ]);
});

it('keeps names that are not UTF-8', async () => {
  const odd = execFileSync('git', ['mktree', '-z'], {
    cwd: tree.root,
    input: Buffer.from(`100644 blob ${await blobOf('odd')}\tf\xff\0`, 'latin1'),
    encoding: 'utf8',
  });
  const commit = tree.git('commit-tree', '-m', 'odd', odd.trim()).trim();
  const entry = { mode: '100644', id: await blobOf('new') };
  const made = await changeTree(tree.context, { root: tree.root, commit }, [{ path: 'g', entry }]);
  expect(tree.git('ls-tree', '--name-only', made)).toBe('"f\\377"\ng\n');
});

it.each(['module', 'module/inside', 'module/a/b'])('rejects a change of a submodule: %s', async (path) => {
  tree.git('update-index', '--add', '--cacheinfo', `160000,${head()},module`);
  tree.git('commit', '-qm', 'module');
  const entry = { mode: '100644', id: await blobOf('new') };
  for (const change of [{ path }, { path, entry }])
    await expect(
      changeTree(tree.context, { root: tree.root, commit: head() }, [change]),
    ).rejects.toMatchObject({ code: 'E_DENIED', details: { reason: 'invariant_violated', path } });
});

it.each(['.git/config', 'a/../b', 'a//b', './a'])('rejects the path %s', async (path) => {
  await expect(
    changeTree(tree.context, { root: tree.root, commit: head() }, [{ path }]),
  ).rejects.toMatchObject({ code: 'E_DENIED' });
});

it('writes the objects that git writes, also in a repository with SHA-256', async () => {
  const large = 'x'.repeat(2 * 1024 * 1024);
  for (const text of ['', 'text', large])
    expect(await blobOf(text)).toBe(
      execFileSync('git', ['hash-object', '--stdin'], {
        cwd: tree.root,
        input: text,
        encoding: 'utf8',
      }).trim(),
    );
  const other = join(tree.root, 'other');
  tree.git('init', '-q', '--object-format=sha256', other);
  const id = await writeObject(tree.context, other, 'blob', Buffer.from('text'));
  expect(id).toHaveLength(64);
  expect(execFileSync('git', ['cat-file', 'blob', id], { cwd: other, encoding: 'utf8' })).toBe('text');
  tree.git('fsck', '--strict');
});

it('writes the commits that git writes', async () => {
  const author = { name: ' "Ünal" <x> O\'Neil, jr. ', email: '<u@example.org>' };
  const parents = [head()];
  const made = tree.git('rev-parse', 'HEAD^{tree}').trim();
  const message = 'subject\n\nbody ü\n';
  const content = renderCommitObject({ tree: made, parents, author, atMs: 1_700_000_000_900, message });
  const date = '1700000000 +0000';
  const expected = execFileSync('git', ['commit-tree', '-p', head(), '-F', '-', made], {
    cwd: tree.root,
    input: message,
    encoding: 'utf8',
    env: {
      ...process.env,
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: author.name,
      GIT_COMMITTER_EMAIL: author.email,
      GIT_COMMITTER_DATE: date,
    },
  }).trim();
  expect(await writeObject(tree.context, tree.root, 'commit', content)).toBe(expected);
});

function gitHash(text: string): string {
  return createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex');
}

/** A blob whose folder of objects does not exist: which ones do depends on the time of the first commit. */
function textOfNewFolder(): string {
  const known = new Set(readdirSync(join(tree.root, '.git/objects')));
  return ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].find((text) => !known.has(gitHash(text).slice(0, 2))) ?? '';
}

it('gives folders of objects the mode of their parent, and renews an object that is there', async () => {
  const objects = join(tree.root, '.git/objects');
  chmodSync(objects, 0o2770);
  const id = await blobOf(textOfNewFolder());
  const path = join(objects, id.slice(0, 2), id.slice(2));
  expect([statSync(path).mode & 0o777, statSync(join(objects, id.slice(0, 2))).mode & 0o7777]).toEqual([
    0o444, 0o2770,
  ]);
  execFileSync('touch', ['-d', '2001-01-01', path]);
  const again = tree.git('cat-file', 'blob', id);
  await blobOf(again);
  expect(statSync(path).mtimeMs).toBeGreaterThan(Date.now() - 60_000);
});

it('reports an object that cannot be written with a code and its path', async () => {
  const text = textOfNewFolder();
  const inTheWay = join(tree.root, '.git/objects', gitHash(text).slice(0, 2));
  writeFileSync(inTheWay, '');
  await expect(blobOf(text)).rejects.toMatchObject({
    code: 'E_IO',
    message: expect.stringContaining(inTheWay),
  });
});
