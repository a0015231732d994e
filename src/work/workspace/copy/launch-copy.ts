import { join } from 'node:path';
import { startProgram } from '../../../system/start-program.ts';
import { listHiddenPaths, privateHome } from '../sandbox/hidden-paths.ts';
import { resolveCwd, listReadPaths, ownerIfOther, planSandbox } from '../sandbox/plan-sandbox.ts';
import type { LandlockTools, SandboxTools } from '../sandbox/sandbox-tools.ts';
import { readableOf, startConfined } from '../sandbox/start-confined.ts';
import { sandboxEnvironment } from '../sandbox/sandbox-environment.ts';
import { EXEC_SCRIPT, startSandboxed } from '../sandbox/start-sandboxed.ts';
import { BASE_OBJECTS_INSIDE, ignoredSource } from '../tree.ts';
import { ownerOf } from '../tree-owner.ts';
import { workspaceFolder, type WorkspaceRecord } from '../workspace-record.ts';
import type { SandboxedProcess, SpawnOptions, WorkspaceContext } from '../workspace.ts';
import { OBJECTS_INSIDE, readLinks } from './copy-links.ts';

interface Launch {
  readonly argv: readonly string[];
  readonly options: SpawnOptions;
  /** The folder that is mounted as the tree. */
  readonly at: string;
}

/** Runs a command without any confinement; the caller has consented. */
export function launchUnconfined(
  argv: readonly string[],
  options: SpawnOptions,
  at: string,
): SandboxedProcess {
  return startProgram(['/bin/sh', '-c', EXEC_SCRIPT, ...argv], {
    cwd: resolveCwd(at, options.cwd),
    env: options.env,
    container: false,
  });
}

export function launchConfined(
  context: WorkspaceContext,
  record: WorkspaceRecord,
  tools: LandlockTools,
  { argv, options, at }: Launch,
): SandboxedProcess {
  const { tree, policy } = record;
  const folder = workspaceFolder(context, record.runId);
  const { linked, repositories } = readLinks(folder);
  const [home, temporary, scratch] = ['home', 'tmp', 'scratch'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const hidden = listHiddenPaths(context, ownerIfOther(context, record)).map(({ path }) => path);
  const accountHome = privateHome(context);
  return startConfined(tools, {
    argv,
    env: options.env,
    cwd: resolveCwd(at, options.cwd),
    folder,
    home,
    temporary,
    hidden: [
      ...readableOf(hidden),
      ...(accountHome === undefined ? [] : [accountHome]),
      '/tmp',
      '/var/tmp',
      '/run',
      '/dev',
      tree.root,
    ],
    readPaths: [
      ...listReadPaths(context, policy),
      ...linked.map((name) => ignoredSource(tree, name)),
      ...(tree.checkout === undefined ? [] : [tree.checkout.objects]),
      ...repositories.map(({ commonFolder }) => join(commonFolder, 'objects')),
    ],
    writePaths: [at, temporary, home, scratch, ...(policy.writePaths ?? [])],
    network: options.network ?? policy.network,
    maxFileBytes: options.maxFileBytes,
  });
}

export function launchInSandbox(
  context: WorkspaceContext,
  record: WorkspaceRecord,
  tools: SandboxTools,
  { argv, options, at }: Launch,
): SandboxedProcess {
  const { tree } = record;
  const folder = workspaceFolder(context, record.runId);
  const { linked, repositories } = readLinks(folder);
  const binds = [
    ...linked.map((name) => ({ source: ignoredSource(tree, name), at: join(record.mountAt, name) })),
    ...(tree.checkout === undefined ? [] : [{ source: tree.checkout.objects, at: BASE_OBJECTS_INSIDE }]),
    ...repositories.map(({ commonFolder }, index) => ({
      source: join(commonFolder, 'objects'),
      at: `${OBJECTS_INSIDE}/${index}`,
    })),
  ];
  const runAs = tools.setpriv === '' ? undefined : ownerOf(context, tree.root);
  const paths = {
    tree: { source: at, at: record.mountAt },
    binds: binds.map((bind) => ({ ...bind, writable: false })),
    temporary: join(folder, 'tmp'),
    scratch: join(folder, 'scratch'),
    home: join(folder, 'home'),
    isUserContent: () => false,
    ...(runAs === undefined ? {} : { runAs }),
  };
  return startSandboxed(tools, {
    argv,
    env: sandboxEnvironment(context, record, options.env),
    folder,
    mounts: [],
    root: context.uid === 0,
    plan: planSandbox(context, record, paths, options),
    ...(options.maxFileBytes === undefined ? {} : { maxFileBytes: options.maxFileBytes }),
  });
}
