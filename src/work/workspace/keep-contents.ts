import { join } from 'node:path';
import { randomId } from '../../base/ids.ts';
import { systemCode } from '../../base/system-fault.ts';
import { parseHead, type Manifest } from './manifest.ts';
import { indexObjects } from './object-store.ts';
import { openPackWriter } from './pack-writer.ts';
import { readContent } from './read-content.ts';
import type { WorkspaceContext } from './workspace.ts';

const MOVED: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'EISDIR']);

/**
 * Keeps the content of every file and the target of every link of a manifest that is not kept yet. False where one is no longer in the
 * tree as the manifest has it; then nothing is kept.
 */
export function keepContents(context: WorkspaceContext, root: string, manifest: Manifest): boolean {
  const kept = new Set(indexObjects(context).keys());
  const pack = openPackWriter(context, `snapshot-${randomId()}`);
  try {
    for (const [index, path] of manifest.paths.entries()) {
      const entry = parseHead(manifest.heads[index] ?? '');
      if (entry.type === 'dir' || kept.has(entry.hash)) continue;
      const object = pack.begin();
      for (const piece of readContent(join(root, path), entry.type)) object.write(piece);
      const hash = object.end();
      if (hash !== entry.hash) {
        pack.abandon();
        return false;
      }
      kept.add(hash);
    }
    pack.finish();
    return true;
  } catch (error) {
    pack.abandon();
    // Gone, or something else now: a link where a file was, a folder where a link was.
    if (MOVED.has(systemCode(error) ?? '')) return false;
    throw error;
  }
}
