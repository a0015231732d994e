import { mkdirSync, readdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { firstLine, killNow, startScript } from '../../../test/fixtures/start-node.ts';
import { createWorkTree, readTree, runIn, type WorkTree } from '../../../test/fixtures/work-tree.ts';
import { workspaceCapabilities } from '../../../test/fixtures/workspace-modes.ts';
import { identifyProcess, isSameProcessAlive } from '../../system/process-identity.ts';
import { listDescendants } from '../../system/process-tree.ts';
import { createCopyBackend } from './copy/copy-backend.ts';
import { createCopyFolders } from './copy/create-copy.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { readManifest } from './manifest-store.ts';
import { reopenWorkspace } from './open-workspace.ts';
import { probeWorkspace } from './probe-workspace.ts';
import { assertFreeSpace } from './promote-changes.ts';
import { resolveTree } from './resolve-tree.ts';
import { findSandboxTools } from './sandbox/sandbox-tools.ts';
import { workspaceFolder, type WorkspaceRecord } from './workspace-record.ts';

const trees: WorkTree[] = [];
const make = (files?: Record<string, string>): WorkTree => {
  const tree = createWorkTree(files);
  trees.push(tree);
  return tree;
};
afterEach(() => {
  for (const tree of trees.splice(0)) tree.dispose();
});

describe('two runs on one tree', () => {
  it('are both promoted if they change different files; otherwise the later one is a conflict', async () => {
    const tree = make({ a: 'a', b: 'b', c: 'c' });
    const [first, second, third] = [await tree.open('one'), await tree.open('two'), await tree.open('three')];
    await Promise.all([
      runIn(first, 'echo one > a'),
      runIn(second, 'echo two > b'),
      runIn(third, 'echo three > a; echo three > c'),
    ]);
    await Promise.all([
      first.promote((await first.diff()).changes),
      second.promote((await second.diff()).changes),
    ]);
    await expect(third.promote((await third.diff()).changes)).rejects.toMatchObject({
      code: 'E_CONFLICT',
      details: { paths: ['a'] },
    });
    expect(readTree(tree.root)).toEqual({ a: '644 one\n', b: '644 two\n', c: '644 c' });
  });

  it('cannot start two commands in one workspace', async () => {
    const tree = make();
    const workspace = await tree.open('busy');
    const started = workspace.spawn(['sleep', '60'], { env: { PATH: process.env.PATH ?? '' } });
    started.stdout.resume();
    expect(() => workspace.spawn(['true'], { env: {} })).toThrow(
      expect.objectContaining({ code: 'E_CONFLICT' }),
    );
    await expect(workspace.diff()).rejects.toMatchObject({ details: { reason: 'running' } });
    started.kill();
    await started.ended;
    expect((await workspace.diff()).changes).toEqual([]);
  });
});

describe('a process that is killed while a command runs in its workspace', () => {
  it.runIf(workspaceCapabilities.mode === 'overlay')(
    'leaves no process and an unchanged tree, and its workspace can be reopened',
    async () => {
      const tree = make();
      const { context, root } = tree;
      const holder = startScript('hold-workspace', [context.folder, root, context.accountHome]);
      const outer = Number(await firstLine(holder));
      const family = [identifyProcess(outer), ...listDescendants(outer)].flatMap((found) => found ?? []);
      expect(family.length).toBeGreaterThan(3);
      await expect(reopenWorkspace(context, 'held')).rejects.toMatchObject({ details: { reason: 'held' } });
      await killNow(holder);
      while (family.some(isSameProcessAlive)) await sleep(10);
      expect(readTree(root)).toEqual({ 'a.txt': '644 one\n' });
      const workspace = await reopenWorkspace(context, 'held');
      expect((await workspace.diff()).changes.map(({ path }) => path)).toEqual(['made']);
      await workspace.discard();
      expect(readdirSync(join(context.folder, 'workspaces'))).toEqual([]);
    },
    60_000,
  );
});

describe('a machine without bubblewrap', () => {
  it('reports the missing programs', () => {
    const { context } = make();
    const nowhere = { ...context, env: { PATH: '/nonexistent' } };
    expect(findSandboxTools(nowhere, 'bubblewrap', '/nonexistent')).toEqual({
      missing: ['sh', 'mount', 'unshare', 'bwrap'],
    });
    expect(findSandboxTools(nowhere, 'namespace', '/nonexistent')).toEqual({
      missing: ['sh', 'mount', 'umount', 'unshare', 'pivot_root', 'mkdir', 'setpriv'],
    });
  });

  it('runs commands on a copy and terminates the processes they leave running', async () => {
    const tree = make({ a: 'a', '.gitignore': 'node_modules/\n' });
    tree.write('node_modules/m', 'module');
    const snapshot = await takeSnapshot(tree.context, tree.root);
    const record: WorkspaceRecord = {
      runId: 'plain',
      tree: await resolveTree(tree.context, tree.root),
      snapshotId: snapshot.id,
      mode: 'copy',
      isolation: 'none',
      fallbacks: [],
      policy: { network: true },
      mountAt: tree.root,
      epoch: 0,
    };
    const folder = workspaceFolder(tree.context, 'plain');
    mkdirSync(folder, { recursive: true });
    await createCopyFolders(tree.context, record, snapshot);
    const backend = createCopyBackend(tree.context, record, undefined);
    const started = backend.start(
      [
        'sh',
        '-c',
        'cat node_modules/m; echo new > a; git status --short; setsid sleep 600 & sleep 0.3; echo up; sleep 0.3',
      ],
      { env: { PATH: process.env.PATH ?? '' } },
    );
    let output = '';
    const family: ReturnType<typeof listDescendants>[number][] = [];
    started.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      family.push(...listDescendants(started.pid ?? 0));
    });
    started.stderr.resume();
    expect((await started.ended).exitCode).toBe(0);
    expect(output).toBe('module M a\nup\n');
    while (family.some(isSameProcessAlive)) await sleep(10);
    expect([...backend.readFootprint(readManifest(tree.context, snapshot.hash)).written.keys()]).toEqual([
      'a',
    ]);
    expect(readTree(tree.root)).toMatchObject({ a: '644 a' });
  });
});

describe('an almost full disk', () => {
  it('is rejected before anything is written', () => {
    const tree = make();
    const { bavail, bsize } = statfsSync(tree.root);
    const after = { type: 'file', mode: 0o644, hash: '', size: bavail * bsize } as const;
    expect(() =>
      assertFreeSpace(tree.root, [{ path: 'huge', action: 'create', type: 'file', after }]),
    ).toThrow(
      expect.objectContaining({ code: 'E_IO', details: expect.objectContaining({ reason: 'ENOSPC' }) }),
    );
    expect(() => assertFreeSpace(tree.root)).not.toThrow();
  });
});

describe('the probe', () => {
  it('reports the mode that workspaces use', async () => {
    const tree = make();
    const { mode, sandboxed, problems } = await probeWorkspace(tree.context);
    const workspace = await tree.open('probed');
    expect([workspace.mode, workspace.sandboxed]).toEqual([mode, sandboxed]);
    expect(workspace.fallbacks).toEqual(expect.arrayContaining(problems.map(({ what }) => what)));
    writeFileSync(join(tree.context.folder, 'probe.json'), 'damaged');
    expect((await tree.open('again')).mode).toBe(mode);
  });
});
