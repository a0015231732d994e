import { afterEach, beforeEach, expect, it } from 'vitest';
import { LONG } from '../../../../test/fixtures/start-node.ts';
import { createWorkTree, type WorkTree } from '../../../../test/fixtures/work-tree.ts';
import { readFiles } from './document-commit.ts';

const MB = 1024 * 1024;

let tree: WorkTree;
beforeEach(() => (tree = createWorkTree()));
afterEach(() => tree.dispose());

it.runIf(LONG)('reads files that are large together, and leaves out one that is too large', async () => {
  const sizes = { first: 25 * MB, second: 25 * MB, third: 25 * MB, large: 40 * MB, last: 1 };
  for (const [name, size] of Object.entries(sizes)) tree.write(name, name[0]?.repeat(size) ?? '');
  tree.git('add', '.');
  tree.git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'large');
  const names = ['first', 'second', 'missing', 'large', 'third', 'last'].map((name) => `HEAD:${name}`);
  const found = await readFiles(tree.context, tree.root, names);
  expect([...found].map(([name, text]) => [name, text.length, text[0]])).toEqual([
    ['HEAD:first', 25 * MB, 'f'],
    ['HEAD:second', 25 * MB, 's'],
    ['HEAD:third', 25 * MB, 't'],
    ['HEAD:last', 1, 'l'],
  ]);
});
