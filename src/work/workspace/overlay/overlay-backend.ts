import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Libc } from '../../../system/libc/libc.ts';
import { removeFolder } from '../../../system/remove-folder.ts';
import type { Backend } from '../backend.ts';
import { confinedGitEnvironment } from '../git.ts';
import { groupByRepository } from '../group-by-repository.ts';
import { assertNoSubmodule, filterIgnored, splitZero } from '../list-visible.ts';
import { parentOf } from '../manifest.ts';
import { measureFolder } from '../../../system/measure-folder.ts';
import { planSandbox } from '../sandbox/plan-sandbox.ts';
import type { SandboxPlan } from '../sandbox/render-sandbox.ts';
import type { SandboxTools } from '../sandbox/sandbox-tools.ts';
import { sandboxEnvironment } from '../sandbox/sandbox-environment.ts';
import { startSandboxed } from '../sandbox/start-sandboxed.ts';
import { ownerOf } from '../tree-owner.ts';
import { workspaceFolder, type WorkspaceRecord } from '../workspace-record.ts';
import type { SandboxedProcess, SpawnOptions, WorkspaceContext } from '../workspace.ts';
import { createLayer, gitBinds, listMounts, sharedBinds, type Layer } from './overlay-folders.ts';
import { readUpper } from './read-upper.ts';
import { canRedirect, isMarkedOpaque, OPAQUE_ATTRIBUTE, resolveRedirects } from './resolve-redirects.ts';

export interface OverlayTools {
  readonly sandbox: SandboxTools;
  readonly libc: Libc;
}

/**
 * Runs commands on an overlay: the tree is the lower layer, and writes go to an upper folder of the workspace. It is mounted for one
 * command at a time, in the command's own mount namespace, so nothing has to be unmounted.
 */
export function createOverlayBackend(
  context: WorkspaceContext,
  record: WorkspaceRecord,
  tools: OverlayTools,
): Backend {
  const folder = workspaceFolder(context, record.runId);
  const { tree } = record;
  const attribute = context.uid === 0 ? OPAQUE_ATTRIBUTE : 'user.overlay.opaque';
  const isOpaque = (path: string): boolean => isMarkedOpaque(tools.libc, path, attribute);
  const { launch, onLayer } = createLauncher(context, record, tools, isOpaque);
  return {
    start: (argv, options) => (options.layer === 'tests' ? onLayer(argv, options) : launch(argv, options)),
    readFootprint: (base) =>
      readUpper(
        {
          upper: join(folder, 'upper'),
          lower: tree.root,
          isOpaque,
        },
        base,
      ),
    listIgnored: async (paths, rulesChanged) => {
      if (!rulesChanged && !isBehindLink(tree.root, paths))
        return listIgnoredInTree(context, tree.root, paths);
      // Use the ignore rules of the run but the user's repository: changes of the run in .git must have no effect.
      const query = async (root: string, names: readonly string[]): Promise<readonly string[]> => {
        const real = join(tree.root, root, '.git');
        const at = join(record.mountAt, root, '.git');
        const started = onLayer(
          ['git', 'check-ignore', '-z', '--stdin'],
          { env: confinedGitEnvironment(context.env), cwd: root, network: false },
          existsSync(real) ? [{ source: real, at, writable: false }] : [],
        );
        const ignored = await readNames(started, names);
        if (ignored === undefined) await assertNoSubmodule(context, join(tree.root, root), names);
        return ignored ?? [];
      };
      return groupByRepository(tree.root, paths, query);
    },
    contentPath: (path) => join(folder, 'upper', path),
    writtenBytes: () =>
      ['upper', 'tmp', 'home', 'scratch', 'git/upper', 'layers'].reduce(
        (sum, name) => sum + measureFolder(join(folder, name)),
        0,
      ),
    // The overlay always shows the current tree.
    syncFromTree: () => undefined,
  };
}

interface Launcher {
  readonly launch: (argv: readonly string[], options: SpawnOptions) => SandboxedProcess;
  /** Starts a command on a separate layer, which is dropped when the command exits. */
  readonly onLayer: (
    argv: readonly string[],
    options: SpawnOptions,
    binds?: SandboxPlan['binds'],
  ) => SandboxedProcess;
}

function createLauncher(
  context: WorkspaceContext,
  record: WorkspaceRecord,
  tools: OverlayTools,
  isOpaque: (path: string) => boolean,
): Launcher {
  const folder = workspaceFolder(context, record.runId);
  const { root } = record.tree;
  const runAs = tools.sandbox.setpriv === '' ? undefined : ownerOf(context, root);
  const redirects = canRedirect(context, record);
  const start = (
    argv: readonly string[],
    options: SpawnOptions,
    layer?: Layer,
    binds: SandboxPlan['binds'] = [],
  ): SandboxedProcess =>
    startSandboxed(tools.sandbox, {
      argv,
      env: sandboxEnvironment(context, record, options.env),
      folder,
      mounts: listMounts(record, layer, redirects),
      root: context.uid === 0,
      plan: planSandbox(
        context,
        record,
        {
          tree: { source: join(folder, 'merged'), at: record.mountAt },
          binds: [...gitBinds(folder, record), ...sharedBinds(folder, record), ...binds],
          temporary: join(folder, layer?.temporary ?? 'tmp'),
          scratch: join(folder, 'scratch'),
          home: join(folder, layer === undefined ? 'home' : layer.home),
          isUserContent: (path) => isUnmodified(join(folder, 'upper'), path, isOpaque),
          ...(runAs === undefined ? {} : { runAs }),
        },
        options,
      ),
      ...(options.maxFileBytes === undefined ? {} : { maxFileBytes: options.maxFileBytes }),
    });
  const launch: Launcher['launch'] = (argv, options) => {
    const started = start(argv, options);
    if (!redirects) return started;
    const ended = started.ended.then((end) => {
      resolveRedirects(tools.libc, { upper: join(folder, 'upper'), lower: root });
      return end;
    });
    return { ...started, ended };
  };
  const onLayer: Launcher['onLayer'] = (argv, options, binds) => {
    const layer = createLayer(folder, record.tree);
    const started = start(argv, options, layer, binds);
    const ended = started.ended.finally(() => removeFolder(join(folder, layer.name)));
    return { ...started, ended };
  };
  return { launch, onLayer };
}

/** Queries git in the user's tree, repository by repository. */
export function listIgnoredInTree(
  context: WorkspaceContext,
  root: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  return groupByRepository(root, paths, (inner, names) => filterIgnored(context, join(root, inner), names));
}

/** Git rejects paths behind a symlink. If the run replaced a symlink with a folder, the user's tree still has the symlink. */
function isBehindLink(root: string, paths: readonly string[]): boolean {
  const folders = new Set<string>();
  for (const path of paths)
    for (let folder = parentOf(path); folder !== '' && !folders.has(folder); folder = parentOf(folder))
      folders.add(folder);
  return [...folders].some(
    (folder) => lstatSync(join(root, folder), { throwIfNoEntry: false })?.isSymbolicLink() === true,
  );
}

/** Whether the run did not modify a path of the tree or any folder above it. */
function isUnmodified(upper: string, path: string, isOpaque: (path: string) => boolean): boolean {
  let at = upper;
  for (const part of path.split('/')) {
    at = join(at, part);
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats === undefined) return true;
    if (!stats.isDirectory() || isOpaque(at)) return false;
  }
  return false;
}

/** The names that git returns; undefined if it failed, for example because one of them is in a submodule. */
async function readNames(
  started: SandboxedProcess,
  names: readonly string[],
): Promise<readonly string[] | undefined> {
  const output: Buffer[] = [];
  started.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  started.stderr.resume();
  started.stdin.end(names.map((name) => `${name}\0`).join(''));
  const { exitCode } = await started.ended;
  return exitCode === 0 || exitCode === 1 ? splitZero(Buffer.concat(output)) : undefined;
}
