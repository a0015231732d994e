import { join } from 'node:path';
import { randomId } from '../../base/ids.ts';
import { systemCode } from '../../base/system-fault.ts';
import { parseHead, type Manifest } from './manifest.ts';
import { indexObjects } from './object-store.ts';
import { openPackWriter } from './pack-writer.ts';
import { readContent } from './read-content.ts';
import type { WorkspaceContext } from './workspace.ts';

/** System errors of an entry that was deleted or replaced meanwhile. */
export const CHANGED_CODES: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'EISDIR']);

/**
 * Stores the content of every file and the target of every symlink of a manifest that is not stored yet. False if the tree no longer
 * matches the manifest; then nothing is stored.
 */
export function storeContents(context: WorkspaceContext, root: string, manifest: Manifest): boolean {
  const stored = new Set(indexObjects(context).keys());
  const pack = openPackWriter(context, `snapshot-${randomId()}`);
  try {
    for (const [index, path] of manifest.paths.entries()) {
      const entry = parseHead(manifest.heads[index] ?? '');
      if (entry.type === 'dir' || stored.has(entry.hash)) continue;
      const object = pack.begin();
      for (const piece of readContent(join(root, path), entry.type)) object.write(piece);
      const hash = object.end();
      if (hash !== entry.hash) {
        pack.abandon();
        return false;
      }
      stored.add(hash);
    }
    pack.finish();
    return true;
  } catch (error) {
    pack.abandon();
    // Deleted or replaced by another type of entry.
    if (CHANGED_CODES.has(systemCode(error) ?? '')) return false;
    throw error;
  }
}
