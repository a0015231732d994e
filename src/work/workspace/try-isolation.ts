import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../../base/error-message.ts';
import { Fault } from '../../base/fault.ts';
import { MIN_LANDLOCK_ABI, SCOPED_LANDLOCK_ABI } from '../../system/confinement/confinement.ts';
import { readLandlockAbi } from '../../system/confinement/landlock-abi.ts';
import type { Libc } from '../../system/libc/libc.ts';
import { removeFolder } from '../../system/remove-folder.ts';
import { uniqueName } from '../../system/unique-name.ts';
import { NO_LIBC, oldLandlock, type IsolationCandidate } from './find-sandbox.ts';
import type { Confining } from './isolation.ts';
import { createOverlayBackend } from './overlay/overlay-backend.ts';
import { createOverlayFolders } from './overlay/overlay-folders.ts';
import { planSandbox } from './sandbox/plan-sandbox.ts';
import type { LandlockTools, Sandbox, SandboxTools } from './sandbox/sandbox-tools.ts';
import { startConfined } from './sandbox/start-confined.ts';
import { startSandboxed } from './sandbox/start-sandboxed.ts';
import { workspaceFolder, type WorkspaceRecord } from './workspace-record.ts';
import type { SandboxedProcess, WorkspaceContext, WorkspaceMode, WorkspaceProblem } from './workspace.ts';

/** An isolation that was tested on this machine. */
export interface TestedIsolation {
  readonly mode: WorkspaceMode;
  readonly isolation: Confining;
  readonly sandbox: Sandbox;
  readonly scopedSignals: boolean;
  /** Whether something is weaker than it could be. */
  readonly reported: boolean;
}

/** Tests an isolation with real commands. */
export async function tryIsolation(
  context: WorkspaceContext,
  candidate: IsolationCandidate,
  libc: Libc | undefined,
): Promise<TestedIsolation | { readonly problem: WorkspaceProblem }> {
  if ('missing' in candidate) return { problem: candidate.missing };
  const { kind, sandbox } = candidate;
  if (sandbox.kind === 'landlock') {
    const abi = await readLandlockAbi();
    if (abi < MIN_LANDLOCK_ABI) return { problem: oldLandlock(abi) };
    const problem = await failureOf(() => tryLandlock(context, sandbox));
    const scopedSignals = abi >= SCOPED_LANDLOCK_ABI;
    return problem === undefined
      ? { mode: 'copy', isolation: kind, sandbox, scopedSignals, reported: true }
      : { problem };
  }
  const overlay = libc === undefined ? NO_LIBC : await failureOf(() => tryOverlay(context, sandbox, libc));
  const shared = { isolation: kind, sandbox, scopedSignals: true };
  if (overlay === undefined) return { mode: 'overlay', ...shared, reported: kind !== 'bubblewrap' };
  const copy = await failureOf(() => tryMounts(context, sandbox));
  return copy === undefined ? { mode: 'copy', ...shared, reported: true } : { problem: overlay };
}

async function failureOf(attempt: () => Promise<void>): Promise<WorkspaceProblem | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    return {
      what: errorMessage(error),
      fix: 'Allow user namespaces (kernel.unprivileged_userns_clone, AppArmor), and keep DEED_HOME on ext4, xfs, btrfs or tmpfs.',
    };
  }
}

/** Writes a file, deletes a folder and creates it again: operations that fail if overlays do not work correctly. */
const PROBE_SCRIPT =
  'echo new > a && rm -r d && mkdir d && echo x > d/y && test ! -e d/x && test -e /proc/self';

async function tryOverlay(context: WorkspaceContext, tools: SandboxTools, libc: Libc): Promise<void> {
  await withProbeFolder(context, async (record, folder) => {
    createOverlayFolders(folder, record.tree);
    const backend = createOverlayBackend(context, record, { sandbox: tools, libc });
    await expectSuccess(
      backend.start(['sh', '-c', PROBE_SCRIPT], { env: { PATH: SYSTEM_PATH }, network: true }),
    );
    const { written } = backend.readFootprint({ paths: ['a', 'd/x'], heads: ['f 644 0 -', 'f 644 0 -'] });
    if (!written.has('d/y') || !existsSync(join(record.tree.root, 'd/x')))
      throw new Fault('E_IO', 'An overlay can be mounted, but writes to it are lost.');
  });
}

async function tryMounts(context: WorkspaceContext, tools: SandboxTools): Promise<void> {
  await withProbeFolder(context, async (record, folder) => {
    for (const name of ['tmp', 'home', 'scratch']) mkdirSync(join(folder, name), { recursive: true });
    const paths = {
      tree: { source: record.tree.root, at: record.mountAt },
      binds: [],
      temporary: join(folder, 'tmp'),
      scratch: join(folder, 'scratch'),
      home: join(folder, 'home'),
      isUserContent: () => false,
    };
    const plan = planSandbox(context, record, paths, {});
    const env = { PATH: SYSTEM_PATH };
    await expectSuccess(
      startSandboxed(tools, {
        argv: ['sh', '-c', PROBE_SCRIPT],
        env,
        folder,
        mounts: [],
        plan,
        root: context.uid === 0,
      }),
    );
  });
}

/** Writes inside, and fails to read and to write outside. */
const LANDLOCK_SCRIPT =
  'echo new > copy/a && ! cat secret && ! (echo x > denied) && test ! -e denied && test -e /proc/self';

async function tryLandlock(context: WorkspaceContext, tools: LandlockTools): Promise<void> {
  await withProbeFolder(context, async (_record, folder) => {
    for (const name of ['copy', 'tmp', 'home']) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'secret'), 'secret');
    await expectSuccess(
      startConfined(tools, {
        argv: ['sh', '-c', LANDLOCK_SCRIPT],
        env: { PATH: SYSTEM_PATH },
        cwd: folder,
        folder,
        home: join(folder, 'home'),
        temporary: join(folder, 'tmp'),
        hidden: [realpathSync(context.folder), '/dev'],
        readPaths: [],
        writePaths: [join(folder, 'copy'), join(folder, 'tmp')],
        network: false,
      }),
    );
  });
}

async function withProbeFolder(
  context: WorkspaceContext,
  action: (record: WorkspaceRecord, folder: string) => Promise<void>,
): Promise<void> {
  const runId = `probe-${uniqueName()}`;
  const folder = workspaceFolder(context, runId);
  const root = join(folder, 'trial');
  try {
    mkdirSync(join(root, 'd'), { recursive: true, mode: 0o700 });
    writeFileSync(join(root, 'a'), 'old\n');
    writeFileSync(join(root, 'd/x'), 'old\n');
    const tree = { root, gitFolder: join(root, '.git'), commonFolder: join(root, '.git'), id: runId };
    // Mounted at a path that exists on every machine and is not hidden.
    const mountAt = '/tmp/deed-probe';
    const policy = { network: true };
    const shared = { fallbacks: [], policy, mountAt, epoch: 0, snapshotId: '' };
    await action({ runId, tree, mode: 'overlay', isolation: 'bubblewrap', ...shared }, folder);
  } finally {
    removeFolder(folder);
  }
}

const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

async function expectSuccess(started: SandboxedProcess): Promise<void> {
  let stderr = '';
  started.stdin.end();
  started.stdout.resume();
  started.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const { exitCode } = await started.ended;
  if (exitCode !== 0) throw new Fault('E_IO', `The sandbox test failed: ${stderr.trim()}`);
}
