import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorkTree, runIn, type WorkTree } from '../../../test/fixtures/work-tree.ts';
import { renderDiff } from './render-diff.ts';

let tree: WorkTree;
beforeEach(() => {
  tree = createWorkTree({ 'a b.txt': 'one\n', 'gone.txt': 'x\n', 'kind/file': 'y\n', run: '#!/bin/sh\n' });
});
afterEach(() => tree.dispose());

it('shows created, modified and deleted files, links, modes, binaries and swapped types', async () => {
  const workspace = await tree.open('run_6a2x74g1q2w8d');
  await runIn(
    workspace,
    `printf 'one\\ntwo\\n' > 'a b.txt'; rm gone.txt; rm -r kind; echo now > kind; chmod +x run; ln -s target link; printf 'a\\0b' > binary`,
  );
  const { changes } = await workspace.diff();
  expect(await workspace.storeChanges(changes)).toBe(true);
  await workspace.discard();
  const { files, text } = await renderDiff(tree.context, changes);
  expect(
    Object.fromEntries(files.map(({ path, action, added, deleted }) => [path, [action, added, deleted]])),
  ).toEqual({
    'a b.txt': ['modify', 1, 0],
    binary: ['create', null, null],
    'gone.txt': ['delete', 0, 1],
    kind: ['create', 1, 0],
    'kind/file': ['delete', 0, 1],
    link: ['create', 1, 0],
    run: ['modify', 0, 0],
  });
  for (const part of [
    'diff --git a/a b.txt b/a b.txt\n',
    'diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n',
    'diff --git a/link b/link\nnew file mode 120000\n',
    'old mode 100644\nnew mode 100755\n',
    'Binary files /dev/null and b/binary differ\n',
  ])
    expect(text).toContain(part);
  expect(readdirSync(tree.context.folder).filter((name) => name.startsWith('diff-'))).toEqual([]);
});

it('names the folder when it cannot write its two sides', async () => {
  // The folder itself is just short enough for the system, and nothing in it.
  const parts = Array.from({ length: 15 }, () => 'f'.repeat(250));
  const start = join(tree.context.folder, ...parts);
  const folder = join(start, 'f'.repeat(4090 - start.length - 1));
  await expect(renderDiff({ ...tree.context, folder }, [])).rejects.toMatchObject({
    code: 'E_IO',
    details: { path: folder, reason: 'ENAMETOOLONG' },
  });
});

it('names a file whose content is not stored instead of failing', async () => {
  const entry = { type: 'file', mode: 0o644, hash: 'f'.repeat(64), size: 3 } as const;
  const change = { path: 'a', action: 'create', type: 'file', after: entry } as const;
  expect(await renderDiff(tree.context, [change])).toMatchObject({
    files: [{ path: 'a', added: null, omitted: 'its content is not stored' }],
    text: '# a: its content is not stored; its lines are not shown\n',
  });
});

it('shows the change of a file that others changed during the run, with its content from git', async () => {
  tree.write('staged.txt', 'staged\n');
  tree.git('add', 'staged.txt');
  const workspace = await tree.open('run_6a2x74g1q2w8f');
  await runIn(workspace, `echo agent >> gone.txt; rm -r kind; echo agent >> staged.txt`);
  const { changes } = await workspace.diff();
  for (const path of ['gone.txt', 'kind/file', 'staged.txt']) tree.write(path, 'the user has changed it\n');
  tree.git('commit', '-qm', 'Another one', 'gone.txt');
  expect(await workspace.storeChanges(changes)).toBe(true);
  await workspace.discard();
  const { files, text } = await renderDiff(tree.context, changes);
  expect(files.map(({ path, added, deleted }) => [path, added, deleted])).toEqual([
    ['gone.txt', 1, 0],
    ['kind/file', 0, 1],
    ['staged.txt', 1, 0],
  ]);
  expect(text).toContain(' x\n+agent\n');
  expect(text).toContain('\n-y\n');
});

it('reports a file whose earlier content is lost, and shows its new content', async () => {
  tree.write('new.txt', 'not committed\n');
  tree.write('old.txt', 'not committed either\n');
  const workspace = await tree.open('run_6a2x74g1q2w8g');
  await runIn(workspace, `echo agent >> new.txt; rm old.txt; echo agent >> gone.txt`);
  const { changes } = await workspace.diff();
  for (const path of ['new.txt', 'old.txt']) tree.write(path, 'the user has changed it\n');
  expect(await workspace.storeChanges(changes)).toBe(true);
  await workspace.discard();
  const { files, text } = await renderDiff(tree.context, changes);
  const omitted = 'its content before the run is not stored';
  expect(files).toMatchObject([
    { path: 'gone.txt', added: 1, deleted: 0 },
    { path: 'new.txt', added: null, deleted: null, omitted },
    { path: 'old.txt', added: null, deleted: null, omitted },
  ]);
  expect(text).toMatch(
    /^# new\.txt: its content before the run is not stored; all of its new content is shown as added\n# old\.txt: its content before the run is not stored; its lines are not shown\ndiff --git /u,
  );
  expect(text).toContain('+not committed\n+agent\n');
});
