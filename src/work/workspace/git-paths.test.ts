import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorkTree, readTree, runIn, type WorkTree } from '../../../test/fixtures/work-tree.ts';
import { WORKSPACE_MODES } from '../../../test/fixtures/workspace-modes.ts';

let tree: WorkTree;
afterEach(() => tree.dispose());

describe.each(WORKSPACE_MODES)('a promotion from a workspace of mode %s', (mode) => {
  it.each(['.GIT/hooks/pre-commit', '.git\u200C/config', 'git~1', 'sub/.git./config'])(
    'rejects %j, which a file system can take for .git, and writes nothing',
    async (path) => {
      tree = createWorkTree();
      const before = readTree(tree.root, { git: true });
      const workspace = await tree.open('hostile', { mode });
      await runIn(workspace, `echo two > a.txt; mkdir -p "$(dirname '${path}')"; echo x > '${path}'`);
      const { changes } = await workspace.diff();
      expect(changes.map((change) => change.path)).toContain(path);
      await expect(workspace.promote(changes)).rejects.toMatchObject({
        code: 'E_DENIED',
        details: { paths: [path] },
      });
      expect(readTree(tree.root, { git: true })).toEqual(before);
      await workspace.discard();
    },
  );
});

it('a tree that contains a folder of triage is rejected', async () => {
  tree = createWorkTree();
  const stateFolders = [join(tree.root, 'state/process_triage')];
  mkdirSync(stateFolders[0] ?? '', { recursive: true });
  const { resolveTree } = await import('./resolve-tree.ts');
  await expect(resolveTree({ ...tree.context, stateFolders }, tree.root)).rejects.toMatchObject({
    code: 'E_VALIDATION',
  });
});
