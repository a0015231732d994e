import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { canonicalJson } from '../../base/json.ts';
import { readFileIfPresent, writeFileDurably } from '../../system/durable-file.ts';
import type { Libc } from '../../system/libc/libc.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { bootId } from '../../system/process-identity.ts';
import { removeFolder } from '../../system/remove-folder.ts';
import { uniqueName } from '../../system/unique-name.ts';
import { openLibcIfPresent } from './open-libc.ts';
import { createOverlayBackend, createOverlayFolders } from './overlay/overlay-backend.ts';
import { planSandbox } from './sandbox/plan-sandbox.ts';
import { findSandboxTools, type SandboxTools } from './sandbox/sandbox-tools.ts';
import { startSandboxed } from './sandbox/start-sandboxed.ts';
import { workspaceFolder, type WorkspaceRecord } from './workspace-record.ts';
import type { SandboxedProcess, WorkspaceProbe, WorkspaceProblem, WorkspaceContext } from './workspace.ts';

/** The tools for workspaces on this machine. */
export interface WorkspaceCapabilities extends WorkspaceProbe {
  readonly tools?: SandboxTools;
  readonly libc?: Libc;
}

/** Tests which kind of workspace this machine and account support, and reports what is missing. */
export async function probeWorkspace(context: WorkspaceContext): Promise<WorkspaceProbe> {
  const { mode, sandboxed, problems } = await detectCapabilities(context, { trust: false });
  return { mode, sandboxed, problems };
}

/** The same with the tools; with `trust`, a success since the last boot is trusted, and only failures are tested again. */
export async function detectCapabilities(
  context: WorkspaceContext,
  options: { readonly trust: boolean },
): Promise<WorkspaceCapabilities> {
  const found = findSandboxTools(context);
  const libc = await openLibcIfPresent();
  const problems: WorkspaceProblem[] = [];
  if (libc === undefined) problems.push(NO_LIBC);
  if ('missing' in found) {
    problems.push(missingTools(found.missing));
    return { mode: 'copy', sandboxed: false, problems, ...(libc === undefined ? {} : { libc }) };
  }
  const { tools } = found;
  ensurePrivateFolder(context.folder);
  const mark = canonicalJson({ boot: bootId(), uid: context.uid, folder: context.folder, tools });
  const isTrusted = options.trust && bootId() !== '' && readFileIfPresent(markPath(context)) === mark;
  if (libc !== undefined && (isTrusted || (await works(problems, () => tryOverlay(context, tools, libc))))) {
    if (!isTrusted) writeFileDurably(markPath(context), mark, { sync: false });
    return { mode: 'overlay', sandboxed: true, problems, tools, libc };
  }
  const sandboxed = await works(problems, () => tryBubblewrap(context, tools));
  return {
    mode: 'copy',
    sandboxed,
    problems,
    ...(sandboxed ? { tools } : {}),
    ...(libc === undefined ? {} : { libc }),
  };
}

const NO_LIBC: WorkspaceProblem = {
  what: 'The C library is unavailable, so locks and file exchanges are weaker.',
  fix: 'Use Linux with glibc or musl, and install the package koffi.',
};

function missingTools(names: readonly string[]): WorkspaceProblem {
  return {
    what: `${names.join(', ')} not found, so commands run unsandboxed on a copy of the tree.`,
    fix: 'Install bubblewrap and util-linux (Debian, Ubuntu: `apt-get install bubblewrap`).',
  };
}

async function works(problems: WorkspaceProblem[], attempt: () => Promise<void>): Promise<boolean> {
  try {
    await attempt();
    return true;
  } catch (error) {
    problems.push({
      what: error instanceof Error ? error.message : String(error),
      fix: 'Allow user namespaces (kernel.unprivileged_userns_clone, AppArmor), and keep DEED_HOME on ext4, xfs, btrfs or tmpfs.',
    });
    return false;
  }
}

/** Writes a file, deletes a folder and creates it again: operations that fail if overlays do not work correctly. */
const PROBE_SCRIPT =
  'echo new > a && rm -r d && mkdir d && echo x > d/y && test ! -e d/x && test -e /proc/self';

async function tryOverlay(context: WorkspaceContext, tools: SandboxTools, libc: Libc): Promise<void> {
  await withProbeFolder(context, async (record, folder) => {
    createOverlayFolders(folder, record.tree.root);
    const backend = createOverlayBackend(context, record, { sandbox: tools, libc });
    await expectSuccess(
      backend.start(['sh', '-c', PROBE_SCRIPT], { env: { PATH: SYSTEM_PATH }, network: true }),
    );
    const { written } = backend.readFootprint({ paths: ['a', 'd/x'], heads: ['f 644 0 -', 'f 644 0 -'] });
    if (!written.has('d/y') || !existsSync(join(record.tree.root, 'd/x')))
      throw new Fault('E_IO', 'An overlay can be mounted, but writes to it are lost.');
  });
}

async function tryBubblewrap(context: WorkspaceContext, tools: SandboxTools): Promise<void> {
  await withProbeFolder(context, async (record, folder) => {
    for (const name of ['tmp', 'scratch']) mkdirSync(join(folder, name), { recursive: true });
    const paths = {
      tree: { source: record.tree.root, at: record.mountAt },
      binds: [],
      temporary: join(folder, 'tmp'),
      scratch: join(folder, 'scratch'),
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
    await action({ runId, tree, mode: 'overlay', sandboxed: true, ...shared }, folder);
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

function markPath(context: WorkspaceContext): string {
  return join(context.folder, 'probe.json');
}
