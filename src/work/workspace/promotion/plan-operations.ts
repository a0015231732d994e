import { parentOf, sortPaths } from '../manifest.ts';
import type { TreeChange, TreeEntry } from '../workspace.ts';
import type { Subtree, SubtreeEntry } from './subtree.ts';

/**
 * The replacement of one path: the expected entry before, the entry after, and the temporary name next to it, which has the new entry
 * before the operation is applied and the old one after. A new folder with its content is one operation, and so is a file that
 * becomes a folder.
 */
export interface Operation {
  readonly path: string;
  readonly temporary: string;
  readonly before?: Subtree;
  readonly after?: Subtree;
}

export interface OperationPlan {
  readonly operations: readonly Operation[];
  /** Folders to remove if they are empty, deepest first. */
  readonly prune: readonly string[];
}

/** Folders that are only implied by changes have the default mode. */
const FOLDER: TreeEntry = { type: 'dir', mode: 0o755, size: 0, hash: '' };

/**
 * Groups changes into operations. `isFolder` returns whether the tree has a folder now; `tag` makes the temporary names unique.
 */
export function planOperations(
  changes: readonly TreeChange[],
  isFolder: (path: string) => boolean,
  tag: string,
): OperationPlan {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const groups = Map.groupBy(
    changes.filter((change) => !staysFolder(change)),
    ({ path, after }) => topOf(path, after, byPath, isFolder),
  );
  const operations = sortPaths([...groups.keys()]).map((path, index): Operation => {
    const group = groups.get(path) ?? [];
    const before = subtreeOf(path, group, ({ before }) => before);
    const after = subtreeOf(path, group, ({ after }) => after);
    return {
      path,
      temporary: `.deed-${tag}-${index}`,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    };
  });
  return { operations, prune: listPrunable(changes, operations) };
}

/** Whether a change only records that a folder became empty or non-empty. */
function staysFolder({ action, type, before, after }: TreeChange): boolean {
  return action === 'modify' && type === 'dir' && before?.type === 'dir' && before.mode === after?.mode;
}

/**
 * Finds the path that must be exchanged for a change: the topmost folder that does not exist yet, or the topmost entry that changes
 * between file and folder.
 */
function topOf(
  path: string,
  after: TreeEntry | undefined,
  byPath: ReadonlyMap<string, TreeChange>,
  isFolder: (path: string) => boolean,
): string {
  let top = path;
  for (let parent = parentOf(path); parent !== ''; parent = parentOf(parent)) {
    const change = byPath.get(parent);
    const becomesFile = change?.after !== undefined && change.after.type !== 'dir';
    const wasFile = change?.before !== undefined && change.before.type !== 'dir';
    if (becomesFile || wasFile || (after !== undefined && !isFolder(parent))) top = parent;
  }
  return top;
}

function subtreeOf(
  top: string,
  group: readonly TreeChange[],
  side: (change: TreeChange) => TreeEntry | undefined,
): Subtree | undefined {
  const entries = new Map<string, TreeEntry>();
  for (const change of group) {
    const entry = side(change);
    if (entry === undefined) continue;
    entries.set(relative(top, change.path), entry);
  }
  if (entries.size === 0) return undefined;
  for (const path of entries.keys()) {
    if (path === '') continue;
    for (let parent = parentOf(path); ; parent = parentOf(parent)) {
      // A folder with content has the default mode; its own entry would mean an empty folder.
      entries.set(parent, FOLDER);
      if (parent === '') break;
    }
  }
  return sortPaths([...entries.keys()]).map((path): SubtreeEntry => ({
    path,
    entry: entries.get(path) ?? FOLDER,
  }));
}

function relative(top: string, path: string): string {
  return path === top ? '' : path.slice(top.length + 1);
}

/** Lists the folders that may be empty now and are not kept by a change. */
function listPrunable(changes: readonly TreeChange[], operations: readonly Operation[]): readonly string[] {
  const kept = new Set(changes.flatMap(({ path, after }) => (after === undefined ? [] : [path])));
  const folders = new Set<string>();
  for (const { path, after } of operations) {
    if (after !== undefined) continue;
    for (let parent = parentOf(path); parent !== '' && !kept.has(parent); parent = parentOf(parent))
      folders.add(parent);
  }
  return sortPaths([...folders]).toReversed();
}
