import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorkTree, type WorkTree } from '../../../../test/fixtures/work-tree.ts';
import { readLoose } from './read-loose.ts';

let tree: WorkTree;
beforeEach(() => (tree = createWorkTree({ 'state.json': '{"a":1}\n', 'b/c.txt': 'two\n' })));
afterEach(() => tree.dispose());

const head = (): string => tree.git('rev-parse', 'HEAD').trim();
const pathOf = (id: string): string => join(tree.root, '.git/objects', id.slice(0, 2), id.slice(2));
const textOf = async (name: string): Promise<string | undefined> =>
  (await readLoose(tree.context, tree.root, [name])).get(name)?.content.toString('utf8');

it('reads a commit, and a file of it, as git does', async () => {
  const commit = head();
  const found = await readLoose(tree.context, tree.root, [commit, `${commit}:state.json`]);
  expect(found.get(commit)).toEqual({
    id: commit,
    type: 'commit',
    content: execFileSync('git', ['cat-file', 'commit', commit], { cwd: tree.root }),
  });
  const blob = tree.git('rev-parse', 'HEAD:state.json').trim();
  expect(found.get(`${commit}:state.json`)).toEqual({
    id: blob,
    type: 'blob',
    content: Buffer.from('{"a":1}\n'),
  });
});

it('leaves what is packed, missing, below a folder or not an id to git', async () => {
  const commit = head();
  for (const name of ['HEAD', `${commit}:none`, `${commit}:b/c.txt`, '0'.repeat(40)])
    expect(await textOf(name), name).toBeUndefined();
  tree.git('gc', '-q', '--prune=now');
  expect(await textOf(commit)).toBeUndefined();
});

it('leaves links, named pipes and damaged files to git', async () => {
  const commit = head();
  const path = pathOf(commit);
  const other = join(tree.root, 'other');
  renameSync(path, other);
  symlinkSync(other, path);
  expect(await textOf(commit)).toBeUndefined();
  rmSync(path);
  execFileSync('mkfifo', [path]);
  expect(await textOf(commit)).toBeUndefined();
  rmSync(path);
  writeFileSync(path, 'no object');
  expect(await textOf(commit)).toBeUndefined();
});
