import { createHash } from 'node:crypto';
import { indexObjects, readLocation } from '../workspace/object-store.ts';
import type { TreeChange, WorkspaceContext } from '../workspace/workspace.ts';

/** SHA-256 of each promoted path, computed from the stored contents; symlinks by their target. */
export function digestChanges(
  context: WorkspaceContext,
  changes: readonly TreeChange[],
): ReadonlyMap<string, string> {
  const index = indexObjects(context);
  const digests = new Map<string, string>();
  for (const { path, after } of changes) {
    if (after === undefined || after.type === 'dir') continue;
    const hash = createHash('sha256');
    const place = index.get(after.hash);
    if (after.type === 'symlink') hash.update(after.link ?? '');
    else if (place === undefined) continue;
    else for (const chunk of readLocation(place)) hash.update(chunk);
    digests.set(path, hash.digest('hex'));
  }
  return digests;
}
