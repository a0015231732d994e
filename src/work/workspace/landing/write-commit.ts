import { changeTree, type PathChange } from '../objects/change-tree.ts';
import { renderCommitObject, type Identity } from '../objects/commit-object.ts';
import { writeObject } from '../objects/write-object.ts';
import type { ContentSource } from '../promotion/subtree.ts';
import type { TreeChange, WorkspaceContext } from '../workspace.ts';
import { collectContent } from '../read-content.ts';
import type { StoredForm } from './stored-form.ts';

export interface CommitRequest {
  /** A working tree of the repository that gets the objects. */
  readonly root: string;
  /** The commit whose tree is changed. */
  readonly parent: string;
  /** The parent of the new commit in history, if it is not `parent`. */
  readonly onto?: string | undefined;
  readonly changes: readonly TreeChange[];
  readonly source: ContentSource;
  /** For contents of a working tree; without it, contents are stored as they are. */
  readonly stored?: StoredForm;
  readonly author: Identity;
  readonly message: string;
  readonly atMs: number;
}

/**
 * Writes a commit with these changes on top of its parent into a repository, and returns its id. No branch, index or file changes:
 * until a ref names the commit, git deletes it in time. No filter runs.
 */
export async function writeCommit(context: WorkspaceContext, request: CommitRequest): Promise<string> {
  const { root, parent, onto = parent, changes, source, stored } = request;
  const entries: PathChange[] = [];
  for (const { path, action, type, after } of changes) {
    if (after !== undefined && after.type !== 'dir') {
      const content = collectContent(source(path, after));
      const id =
        after.type === 'file' && stored?.isConverted(path) === true
          ? await stored.blobOf(path, content, true)
          : await writeObject(context, root, 'blob', content);
      entries.push({ path, entry: { mode: gitMode(after), id } });
    } else if (action === 'delete' && type !== 'dir') entries.push({ path });
  }
  const tree = await changeTree(context, { root, commit: parent }, entries);
  return writeObject(context, root, 'commit', renderCommitObject({ ...request, tree, parents: [onto] }));
}

function gitMode({ type, mode }: NonNullable<TreeChange['after']>): string {
  if (type === 'symlink') return '120000';
  return (mode & 0o100) === 0 ? '100644' : '100755';
}
