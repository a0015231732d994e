import { blake3Hex } from '../../system/blake3.ts';
import { runGit } from './git.ts';
import { OBJECT_HEADER, readObjects } from './objects/read-objects.ts';
import type { TreeEntry, WorkspaceContext } from './workspace.ts';

/** A path and its state before a run. */
export interface EarlierEntry {
  readonly path: string;
  readonly entry: TreeEntry;
}

/**
 * Finds contents from before a run in the repository of its tree: in the commit of that time, or in the index. Returns them by their
 * BLAKE3. Files that were not committed, and those that git stores in another form, are left out.
 */
export async function readCommitted(
  context: Pick<WorkspaceContext, 'env'>,
  { root, head }: { readonly root: string; readonly head: string | null },
  earlier: readonly EarlierEntry[],
): Promise<ReadonlyMap<string, Buffer>> {
  // Git reads one name per line.
  const names = earlier
    .filter(({ path }) => !path.includes('\n'))
    .flatMap(({ path, entry }) =>
      [...(head === null ? [] : [head]), ':0'].map((state) => ({ name: `${state}:${path}`, entry })),
    );
  const blobs = await findBlobs(context, root, names);
  const objects = await readObjects(context, root, blobs);
  const wanted = new Set(earlier.map(({ entry }) => entry.hash));
  const contents = [...objects.values()].map(({ content }) => [blake3Hex(content), content] as const);
  return new Map(contents.filter(([hash]) => wanted.has(hash)));
}

/** The ids of the blobs that have the expected size, so that no others are read into memory. */
async function findBlobs(
  context: Pick<WorkspaceContext, 'env'>,
  root: string,
  names: readonly { readonly name: string; readonly entry: TreeEntry }[],
): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const input = names.map(({ name }) => `${name}\n`).join('');
  const { output } = await runGit(context, ['cat-file', '--batch-check'], { cwd: root, input });
  const found = output
    .toString('utf8')
    .split('\n')
    .flatMap((line, index) => {
      const [, id = '', type, size] = OBJECT_HEADER.exec(line) ?? [];
      return type === 'blob' && Number(size) === names[index]?.entry.size ? [id] : [];
    });
  return [...new Set(found)];
}
