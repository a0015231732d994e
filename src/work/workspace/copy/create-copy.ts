import {
  appendFileSync,
  constants,
  copyFileSync,
  cpSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileDurably } from '../../../system/durable-file.ts';
import { runGit } from '../git.ts';
import { isMounted } from '../isolation.ts';
import { splitZero } from '../list-visible.ts';
import { readManifest } from '../manifest-store.ts';
import { parentOf, type Manifest } from '../manifest.ts';
import { measureFolder } from '../../../system/measure-folder.ts';
import { ignoredSource } from '../tree.ts';
import { ownerOf, type TreeOwner } from '../tree-owner.ts';
import { workspaceFolder, type WorkspaceRecord } from '../workspace-record.ts';
import type { Snapshot, WorkspaceContext } from '../workspace.ts';
import { copyRepository, findRepository, type Repository } from './copy-git.ts';
import { OBJECTS_INSIDE, writeLinks } from './copy-links.ts';
import { copyEntries } from './copy-tree.ts';

const PARTS = ['copy', 'tmp', 'home', 'scratch'];

/** Copies the git-visible files and the repositories, and records which ignored folders are linked to the tree. */
export async function createCopyFolders(
  context: WorkspaceContext,
  record: WorkspaceRecord,
  snapshot: Snapshot,
): Promise<void> {
  const folder = workspaceFolder(context, record.runId);
  const copy = join(folder, 'copy');
  for (const name of PARTS) mkdirSync(join(folder, name), { mode: 0o700 });
  const manifest = readManifest(context, snapshot.hash);
  copyEntries(record.tree.root, copy, manifest);
  const repositories = listRepositories(record.tree.root, manifest);
  repositories.forEach((repository, index) =>
    copyRepository(repository, copy, objectsPath(record, repository, index)),
  );
  const linked = await linkIgnored(context, record, copy);
  writeLinks(folder, { linked, repositories });
  if (record.isolation === 'landlock') excludeLinks(copy, linked);
  const owner = isMounted(record.isolation) ? ownerOf(context, record.tree.root) : undefined;
  if (owner !== undefined) for (const name of PARTS) changeOwner(join(folder, name), owner);
  writeFileDurably(join(folder, 'copied-bytes'), String(measureFolder(folder)), { sync: false });
}

/** The repositories of the tree: its own and those below it, such as submodules. */
function listRepositories(root: string, { paths }: Manifest): readonly Repository[] {
  const folders = new Set(['']);
  for (const path of paths)
    for (let folder = parentOf(path); folder !== '' && !folders.has(folder); folder = parentOf(folder))
      folders.add(folder);
  return [...folders].flatMap((folder) => findRepository(root, folder) ?? []);
}

function objectsPath({ isolation }: WorkspaceRecord, { commonFolder }: Repository, index: number): string {
  return isMounted(isolation) ? `${OBJECTS_INSIDE}/${index}` : join(commonFolder, 'objects');
}

/** An ignore rule for folders does not match a symlink to a folder. */
function excludeLinks(copy: string, linked: readonly string[]): void {
  if (lstatSync(join(copy, '.git'), { throwIfNoEntry: false })?.isDirectory() !== true) return;
  mkdirSync(join(copy, '.git/info'), { recursive: true });
  appendFileSync(join(copy, '.git/info/exclude'), linked.map((name) => `\n/${name}`).join(''));
}

/**
 * Ignored folders such as node_modules can be huge: where commands are confined, they are linked to the tree and read-only. Otherwise
 * they are copied, so that no command can reach the user's. Ignored files are always copied.
 */
async function linkIgnored(
  context: WorkspaceContext,
  { tree, isolation }: WorkspaceRecord,
  copy: string,
): Promise<readonly string[]> {
  const args = ['ls-files', '-o', '-i', '-z', '--exclude-standard', '--directory'];
  const { output } = await runGit(context, args, { cwd: tree.root });
  const linked: string[] = [];
  const names = splitZero(output).map((path) => path.replace(/\/$/u, ''));
  for (const name of new Set([...names, ...(tree.checkout?.folders ?? [])])) {
    const [from, to] = [ignoredSource(tree, name), join(copy, name)];
    mkdirSync(dirname(to), { recursive: true });
    const stats = lstatSync(from, { throwIfNoEntry: false });
    if (stats?.isFile() === true) copyFileSync(from, to, constants.COPYFILE_FICLONE);
    if (stats?.isDirectory() !== true) continue;
    linked.push(name);
    if (isMounted(isolation)) mkdirSync(to, { recursive: true });
    else if (isolation === 'landlock') symlinkSync(from, to);
    else cpSync(from, to, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
  }
  return linked;
}

/** Commands run as the owner of the tree. Links are changed themselves, not their targets. */
function changeOwner(path: string, owner: TreeOwner): void {
  lchownSync(path, owner.uid, owner.gid);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) changeOwner(join(path, name), owner);
}
