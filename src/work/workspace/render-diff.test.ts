import { readdirSync } from 'node:fs';
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
  expect(workspace.storeChanges(changes)).toBe(true);
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

it('names a file whose content is not stored instead of failing', async () => {
  const entry = { type: 'file', mode: 0o644, hash: 'f'.repeat(64), size: 3 } as const;
  const change = { path: 'a', action: 'create', type: 'file', after: entry } as const;
  expect(await renderDiff(tree.context, [change])).toMatchObject({
    files: [{ path: 'a', added: null, omitted: 'its content is not stored' }],
    text: '',
  });
});
