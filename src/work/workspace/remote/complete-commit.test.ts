import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorkTree, type WorkTree } from '../../../../test/fixtures/work-tree.ts';
import { completeCommit } from './complete-commit.ts';

let tree: WorkTree;
beforeEach(() => (tree = createWorkTree({ 'a.txt': 'one\n', 'b/c.txt': 'two\n' })));
afterEach(() => tree.dispose());

it('fetches the files of a commit that a partial clone left out', async () => {
  const folder = join(tree.root, '..');
  const git = (cwd: string, ...args: string[]): string =>
    execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  for (const name of ['uploadpack.allowFilter', 'uploadpack.allowAnySHA1InWant'])
    tree.git('config', name, 'true');
  git(folder, 'clone', '-q', '--no-checkout', '--filter=blob:none', `file://${tree.root}`, 'partial');
  const clone = join(folder, 'partial');
  const missing = (): string[] =>
    git(clone, 'rev-list', '--objects', '--no-walk', '--missing=print', 'HEAD')
      .split('\n')
      .filter((line) => line.startsWith('?'));
  expect(missing()).toHaveLength(2);
  await completeCommit(tree.context, { root: clone }, git(clone, 'rev-parse', 'HEAD').trim());
  expect(missing()).toEqual([]);
  expect(git(clone, 'show', 'HEAD:b/c.txt')).toBe('two\n');
});
