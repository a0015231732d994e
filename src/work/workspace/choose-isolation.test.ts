import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorkTree, runIn, type WorkTree } from '../../../test/fixtures/work-tree.ts';
import { MIN_LANDLOCK_ABI } from '../../system/confinement/confinement.ts';
import { readLandlockAbi } from '../../system/confinement/landlock-abi.ts';
import { detectCapabilities } from './probe-workspace.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { openWorkspace } from './open-workspace.ts';
import type { OpenWorkspaceOptions, Workspace, WorkspaceContext } from './workspace.ts';

let tree: WorkTree;
beforeEach(() => {
  tree = createWorkTree({ 'a.txt': 'one\n', '.gitignore': 'deps/\n', 'deps/p/x': 'x' });
});
afterEach(() => tree.dispose());

async function openWith(
  context: Partial<WorkspaceContext>,
  options: Partial<OpenWorkspaceOptions> = {},
): Promise<Workspace> {
  const snapshot = await takeSnapshot(tree.context, tree.root);
  return openWorkspace(
    { ...tree.context, ...context },
    { runId: 'run', snapshot, policy: { network: true }, ...options },
  );
}

test('a platform without a sandbox is rejected, also with a copy of the tree', async () => {
  for (const options of [{}, { mode: 'copy' as const }]) {
    await expect(openWith({ platform: 'darwin' }, options)).rejects.toMatchObject({
      code: 'E_CONFIG',
      message: expect.stringContaining('The sandbox requires Linux; this is darwin.'),
      hint: expect.stringContaining('--allow-unsandboxed'),
      details: { reason: 'unsandboxed', isolation: 'none' },
    });
  }
});

test('without any way to confine commands nothing runs, unless the caller consents', async () => {
  const unable = { only: 'landlock', confine: undefined } as const;
  await expect(openWith(unable)).rejects.toMatchObject({ code: 'E_CONFIG' });
  const workspace = await openWith(unable, { allowUnsandboxed: true });
  expect(workspace).toMatchObject({ mode: 'copy', isolation: 'none', sandboxed: false });
  expect(workspace.fallbacks).toContainEqual(expect.stringContaining('Commands run unsandboxed'));
  // Even an unconfined command cannot reach the ignored folders of the user through the workspace.
  await runIn(workspace, 'rm -rf deps/p; chmod 000 deps');
  expect(readFileSync(join(tree.root, 'deps/p/x'), 'utf8')).toBe('x');
  await workspace.discard();
});

test('root under Landlock needs consent', async () => {
  const context = { only: 'landlock', uid: 0 } as const;
  await expect(openWith(context)).rejects.toMatchObject({
    code: 'E_CONFIG',
    details: { isolation: 'landlock' },
  });
  expect(existsSync(join(tree.context.folder, 'workspaces/run'))).toBe(false);
});

test.runIf((await readLandlockAbi()) >= MIN_LANDLOCK_ABI)(
  'Landlock works with a home behind a link',
  async () => {
    const link = join(tree.root, '../link');
    symlinkSync(tree.context.deedHome, link);
    const context = { ...tree.context, only: 'landlock', folder: join(link, 'work') } as const;
    expect(await detectCapabilities(context, { trust: false })).toMatchObject({ isolation: 'landlock' });
  },
);
