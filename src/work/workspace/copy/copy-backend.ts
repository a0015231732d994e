import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  lstatSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { readFileIfPresent, writeFileDurably } from '../../../system/durable-file.ts';
import { removeFolder } from '../../../system/remove-folder.ts';
import { startProgram } from '../../../system/start-program.ts';
import type { Backend, Footprint } from '../backend.ts';
import { runGit } from '../git.ts';
import { groupByRepository } from '../group-by-repository.ts';
import { isSameEntry } from '../list-changes.ts';
import { splitZero } from '../list-visible.ts';
import { readManifest } from '../manifest-store.ts';
import { findEntry, type Manifest } from '../manifest.ts';
import { measureFolder } from '../measure-folder.ts';
import { readLiveEntry } from '../read-live-entry.ts';
import { isWithin } from '../resolve-tree.ts';
import { insideTree, planSandbox } from '../sandbox/plan-sandbox.ts';
import type { SandboxTools } from '../sandbox/sandbox-tools.ts';
import { EXEC_SCRIPT, startSandboxed } from '../sandbox/start-sandboxed.ts';
import { workspaceFolder, type WorkspaceRecord } from '../workspace-record.ts';
import type {
  Entry,
  SandboxedProcess,
  Skipped,
  Snapshot,
  SpawnOptions,
  WorkspaceContext,
} from '../workspace.ts';
import { copyEntries, copyEntry, copyRepository } from './copy-tree.ts';

/** The path of the objects of the user's repository inside the sandbox. */
const OBJECTS_INSIDE = '/run/deed-objects';

/** Copies the git-visible files and the repository, and records which ignored folders are linked to the tree. */
export async function createCopyFolders(
  context: WorkspaceContext,
  record: WorkspaceRecord,
  snapshot: Snapshot,
): Promise<void> {
  const folder = workspaceFolder(context, record.runId);
  const copy = join(folder, 'copy');
  for (const name of ['copy', 'tmp', 'scratch']) mkdirSync(join(folder, name), { mode: 0o700 });
  copyEntries(record.tree.root, copy, readManifest(context, snapshot.hash));
  copyRepository(
    record.tree,
    copy,
    record.sandboxed ? OBJECTS_INSIDE : join(record.tree.commonFolder, 'objects'),
  );
  const linked = await linkIgnored(context, record, copy);
  writeFileDurably(join(folder, 'linked.json'), JSON.stringify(linked), { sync: false });
  if (!record.sandboxed) excludeLinks(copy, linked);
  writeFileDurably(join(folder, 'copied-bytes'), String(measureFolder(folder)), { sync: false });
}

/** An ignore rule for folders does not match a symlink to a folder. */
function excludeLinks(copy: string, linked: readonly string[]): void {
  if (lstatSync(join(copy, '.git'), { throwIfNoEntry: false })?.isDirectory() !== true) return;
  mkdirSync(join(copy, '.git/info'), { recursive: true });
  appendFileSync(join(copy, '.git/info/exclude'), linked.map((name) => `\n/${name}`).join(''));
}

/** Ignored folders such as node_modules can be huge: they are linked to the tree, read-only; ignored files are copied. */
async function linkIgnored(
  context: WorkspaceContext,
  { tree, sandboxed }: WorkspaceRecord,
  copy: string,
): Promise<readonly string[]> {
  const args = ['ls-files', '-o', '-i', '-z', '--exclude-standard', '--directory'];
  const { output } = await runGit(context, args, { cwd: tree.root });
  const linked: string[] = [];
  for (const path of splitZero(output)) {
    const name = path.replace(/\/$/u, '');
    mkdirSync(dirname(join(copy, name)), { recursive: true });
    const stats = lstatSync(join(tree.root, name), { throwIfNoEntry: false });
    if (stats?.isFile() === true) copyFileSync(join(tree.root, name), join(copy, name));
    if (stats?.isDirectory() !== true) continue;
    if (sandboxed) mkdirSync(join(copy, name), { recursive: true });
    else symlinkSync(join(tree.root, name), join(copy, name));
    linked.push(name);
  }
  return linked;
}

/** The portable backend: a run works on a copy. Without bubblewrap its commands are not sandboxed, which `fallbacks` reports. */
export function createCopyBackend(
  context: WorkspaceContext,
  record: WorkspaceRecord,
  tools: SandboxTools | undefined,
): Backend {
  const folder = workspaceFolder(context, record.runId);
  const { tree } = record;
  const copy = join(folder, 'copy');
  const copiedBytes = Number(readFileIfPresent(join(folder, 'copied-bytes')) ?? 0);
  const launch = (argv: readonly string[], options: SpawnOptions, at: string): SandboxedProcess =>
    tools === undefined
      ? startProgram(['/bin/sh', '-c', EXEC_SCRIPT, ...argv], {
          cwd: insideTree(at, options.cwd),
          env: options.env,
          container: false,
        })
      : launchInSandbox(context, record, tools, { argv, options, at });
  return {
    start: (argv, options) => {
      if (options.layer !== 'tests') return launch(argv, options, copy);
      const layer = join(folder, 'layers/top');
      removeFolder(layer);
      cpSync(copy, layer, { recursive: true, verbatimSymlinks: true });
      const started = launch(argv, options, layer);
      return { ...started, ended: started.ended.finally(() => removeFolder(layer)) };
    },
    readFootprint: (base) => readCopy(copy, base, new Set(readLinked(folder))),
    listIgnored: (paths) =>
      groupByRepository(tree.root, paths, async (repository, names) => {
        const { output } = await runGit(
          context,
          [
            `--git-dir=${repository === '' ? tree.gitFolder : join(tree.root, repository, '.git')}`,
            `--work-tree=${join(copy, repository)}`,
            'check-ignore',
            '-z',
            '--stdin',
          ],
          { cwd: join(copy, repository), input: names.map((name) => `${name}\0`).join(''), accept: [1] },
        );
        return splitZero(output);
      }),
    contentPath: (path) => join(copy, path),
    writtenBytes: () => Math.max(0, measureFolder(folder) - copiedBytes),
    syncFromTree: (paths, base) => {
      for (const path of paths) {
        const was = findEntry(base, path);
        const now = readLiveEntry(join(copy, path));
        const untouched = was === undefined ? now === undefined : now !== undefined && isSameEntry(was, now);
        if (untouched) copyEntry(join(tree.root, path), join(copy, path));
      }
    },
  };
}

interface Launch {
  readonly argv: readonly string[];
  readonly options: SpawnOptions;
  /** The folder that is mounted as the tree. */
  readonly at: string;
}

function launchInSandbox(
  context: WorkspaceContext,
  record: WorkspaceRecord,
  tools: SandboxTools,
  { argv, options, at }: Launch,
): SandboxedProcess {
  const { tree } = record;
  const folder = workspaceFolder(context, record.runId);
  const linked = readLinked(folder).map((name) => ({
    source: join(tree.root, name),
    at: join(record.mountAt, name),
    writable: false,
  }));
  const objects = { source: join(tree.commonFolder, 'objects'), at: OBJECTS_INSIDE, writable: false };
  // A linked worktree refers to its repository by path; git can read it there.
  const elsewhere = isWithin(tree.root, tree.commonFolder)
    ? []
    : [{ source: tree.commonFolder, at: tree.commonFolder, writable: false }];
  const paths = {
    tree: { source: at, at: record.mountAt },
    binds: [...linked, objects, ...elsewhere],
    temporary: join(folder, 'tmp'),
    scratch: join(folder, 'scratch'),
    isUserContent: () => false,
  };
  return startSandboxed(tools, {
    argv,
    env: options.env,
    folder,
    mounts: [],
    root: context.uid === 0,
    plan: planSandbox(context, record, paths, options),
    ...(options.maxFileBytes === undefined ? {} : { maxFileBytes: options.maxFileBytes }),
  });
}

function readLinked(folder: string): readonly string[] {
  return JSON.parse(readFileIfPresent(join(folder, 'linked.json')) ?? '[]') as readonly string[];
}

/** Reads the whole copy and returns the differences from the base. */
function readCopy(copy: string, base: Manifest, linked: ReadonlySet<string>): Footprint {
  const written = new Map<string, Entry>();
  const skipped: Skipped[] = [];
  const seen = new Set<string>();
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(copy, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name === '.git' || linked.has(path)) continue;
      if (path.includes('\uFFFD')) skipped.push({ path, reason: 'the name is not UTF-8' });
      else if (!entry.isDirectory() && !entry.isFile() && !entry.isSymbolicLink())
        skipped.push({ path, reason: 'not a file, symlink or folder' });
      else if (entry.isDirectory() && readdirSync(join(copy, path)).some((name) => name !== '.git'))
        visit(path);
      else record(path);
    }
  };
  const record = (path: string): void => {
    const now = readLiveEntry(join(copy, path));
    if (now === undefined) return;
    seen.add(path);
    const was = findEntry(base, path);
    if (was === undefined || !isSameEntry(was, now)) written.set(path, now);
  };
  visit('');
  return {
    written,
    deleted: new Set(base.paths.filter((path) => !seen.has(path))),
    deletedOthers: [],
    skipped,
  };
}
