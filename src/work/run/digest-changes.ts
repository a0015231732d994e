import { sha256 } from '../../base/digest.ts';
import type { Change, Workspace } from '../workspace/workspace.ts';

/** SHA-256 of what each changed path holds now; links by the name they point to, folders not at all. */
export async function digestChanges(
  workspace: Workspace,
  changes: readonly Change[],
): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const { path, after } of changes) {
    if (after === undefined || after.type === 'dir') continue;
    digests[path] = sha256(after.type === 'symlink' ? (after.link ?? '') : await workspace.read(path));
  }
  return digests;
}
