import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorkTree, type WorkTree } from '../../../test/fixtures/work-tree.ts';
import { freeze } from './freeze.ts';
import { openWorkspace } from './open-workspace.ts';
import type { Workspace, WorkspaceMode } from './workspace.ts';

let tree: WorkTree;
beforeEach(() => {
  tree = createWorkTree({ 'a.txt': 'one\n' });
});
afterEach(() => tree.dispose());

async function openOn(platform: string, mode?: WorkspaceMode): Promise<Workspace> {
  const snapshot = await freeze(tree.context, tree.root);
  return openWorkspace(
    { ...tree.context, platform },
    { runId: 'run', snapshot, policy: { network: true }, ...(mode && { mode }) },
  );
}

test('a workspace is rejected on a platform without a sandbox, with a hint', async () => {
  await expect(openOn('darwin')).rejects.toMatchObject({
    code: 'E_CONFIG',
    message: 'The sandbox requires Linux; this is darwin.',
    hint: expect.stringContaining('config set work.workspace copy'),
  });
});

test('the copy mode works on every platform', async () => {
  const workspace = await openOn('darwin', 'copy');
  expect(workspace.mode).toBe('copy');
  await workspace.discard();
});
