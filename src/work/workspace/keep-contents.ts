import { join } from 'node:path';
import { randomId } from '../../base/ids.ts';
import { parseHead, type Manifest } from './manifest.ts';
import { indexObjects } from './object-store.ts';
import { openPackWriter } from './pack-writer.ts';
import { readContent } from './read-content.ts';
import type { WorkspaceContext } from './workspace.ts';

/** Keeps the content of every file and the target of every link that is not kept yet. */
export function keepContents(context: WorkspaceContext, root: string, manifest: Manifest): void {
  const kept = new Set(indexObjects(context).keys());
  const pack = openPackWriter(context, `snapshot-${randomId()}`);
  try {
    for (const [index, path] of manifest.paths.entries()) {
      const entry = parseHead(manifest.heads[index] ?? '');
      if (entry.type === 'dir' || kept.has(entry.hash)) continue;
      const object = pack.begin();
      for (const piece of readContent(join(root, path), entry.type)) object.write(piece);
      kept.add(object.end());
    }
    pack.finish();
  } catch (error) {
    pack.abandon();
    throw error;
  }
}
