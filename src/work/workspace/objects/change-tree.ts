import { Fault } from '../../../base/fault.ts';
import { isGitPath } from '../git-name.ts';
import { parentOf } from '../manifest.ts';
import type { WorkspaceContext } from '../workspace.ts';
import { readObjects } from './read-objects.ts';
import {
  FOLDER_MODE,
  parseTreeObject,
  renderTreeObject,
  SUBMODULE_MODE,
  type ObjectEntry,
} from './tree-object.ts';
import { writeObject } from './write-object.ts';

/** A path with its new entry; without an entry, the path is deleted. */
export interface PathChange {
  readonly path: string;
  readonly entry?: ObjectEntry | undefined;
}

/** A folder that changes: its entries, and the folders in it that change too. */
interface Folder {
  readonly entries: Map<string, ObjectEntry>;
  readonly folders: Map<string, Folder>;
}

/**
 * Writes the tree of a commit with changed paths, and returns its id. Only the folders of these paths are read, usually all with one
 * process. Folders that become empty disappear. A path inside a submodule is rejected.
 */
export async function changeTree(
  context: WorkspaceContext,
  { root, commit }: { readonly root: string; readonly commit: string },
  changes: readonly PathChange[],
): Promise<string> {
  assertPaths(changes);
  const reader = await openFolders(context, root, commit, changes);
  const top = await reader(`${commit}^{tree}`);
  // Deletions first, because a folder may replace a file of the same name.
  for (const { path, entry } of changes.toSorted(deletionsFirst)) {
    const names = path.split('/').map((name) => Buffer.from(name).toString('latin1'));
    const last = names.pop() ?? '';
    const folder = await descend(reader, top, { names, path, isCreated: entry !== undefined });
    if (folder === undefined) continue;
    assertNoSubmodule(folder.entries.get(last), path);
    folder.folders.delete(last);
    if (entry === undefined) folder.entries.delete(last);
    else folder.entries.set(last, entry);
  }
  return (await writeFolder(top)) ?? writeObject(context, root, 'tree', Buffer.alloc(0));

  async function writeFolder({ entries, folders }: Folder): Promise<string | undefined> {
    for (const [name, folder] of folders) {
      const id = await writeFolder(folder);
      if (id === undefined) entries.delete(name);
      else entries.set(name, { mode: FOLDER_MODE, id });
    }
    return entries.size === 0 ? undefined : writeObject(context, root, 'tree', renderTreeObject(entries));
  }
}

type FolderReader = (name: string) => Promise<Folder>;

/** Reads the folders of all paths at once; what is left, such as names with line breaks, is read by id when it is needed. */
async function openFolders(
  context: WorkspaceContext,
  root: string,
  commit: string,
  changes: readonly PathChange[],
): Promise<FolderReader> {
  const paths = new Set(changes.flatMap(({ path }) => foldersOf(path)));
  const names = [...paths].filter((path) => !path.includes('\n')).map((path) => `${commit}:${path}`);
  const top = `${commit}^{tree}`;
  const found = await readObjects(context, root, [top, ...names]);
  const byId = new Map([...found.values()].map((object) => [object.id, object]));
  return async (name) => {
    const object = found.get(name) ?? byId.get(name) ?? (await readObjects(context, root, [name])).get(name);
    if (object?.type !== 'tree')
      throw new Fault('E_IO', `The folder ${name} is not in the repository.`, {
        hint: 'The repository is a partial clone or damaged; fetch the missing objects with git.',
        details: { object: name },
      });
    return { entries: parseTreeObject(object.content, commit.length), folders: new Map() };
  };
}

function foldersOf(path: string): readonly string[] {
  const parent = parentOf(path);
  return parent === '' ? [] : [...foldersOf(parent), parent];
}

/** The folder of a path. If it does not exist, it is created, or undefined if nothing is to be created in it. */
async function descend(
  read: FolderReader,
  top: Folder,
  { names, path, isCreated }: { names: readonly string[]; path: string; isCreated: boolean },
): Promise<Folder | undefined> {
  let folder = top;
  for (const name of names) {
    const entry = folder.entries.get(name);
    assertNoSubmodule(entry, path);
    const known = folder.folders.get(name);
    if (known === undefined && entry?.mode !== FOLDER_MODE && !isCreated) return undefined;
    const next =
      known ??
      (entry?.mode === FOLDER_MODE ? await read(entry.id) : { entries: new Map(), folders: new Map() });
    folder.folders.set(name, next);
    folder = next;
  }
  return folder;
}

function deletionsFirst(left: PathChange, right: PathChange): number {
  return Number(left.entry !== undefined) - Number(right.entry !== undefined);
}

/** A change inside a submodule would replace the submodule with a folder. */
function assertNoSubmodule(entry: ObjectEntry | undefined, path: string): void {
  if (entry?.mode !== SUBMODULE_MODE) return;
  throw new Fault('E_DENIED', `${path} is in a submodule, which a branch cannot change.`, {
    hint: 'Run the item in the repository of the submodule.',
    details: { reason: 'invariant_violated', path },
  });
}

/** Git rejects such paths when it reads a tree. */
function assertPaths(changes: readonly PathChange[]): void {
  const invalid = changes.find(
    ({ path }) =>
      isGitPath(path) || path.split('/').some((name) => name === '' || name === '.' || name === '..'),
  );
  if (invalid === undefined) return;
  throw new Fault('E_DENIED', `A commit cannot contain the path ${JSON.stringify(invalid.path)}.`, {
    details: { reason: 'invariant_violated', path: invalid.path },
  });
}
