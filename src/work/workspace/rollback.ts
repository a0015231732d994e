import { Fault } from '../../base/fault.ts';
import { indexObjects, readPlace } from './object-store.ts';
import { promoteChanges } from './promote-changes.ts';
import type { ContentSource } from './promotion/subtree.ts';
import { readPromotion } from './read-promotion.ts';
import type { Change, Promotion, WorkspaceWorld } from './workspace.ts';

/** Undoes a promoted run. Contract: E_CONFLICT with `details.paths` when something later touched its files; nothing written then. */
export async function rollback(world: WorkspaceWorld, runId: string): Promise<Promotion> {
  const { root, changes } = readPromotion(world, runId);
  return promoteChanges(world, {
    runId: `${runId}.rollback`,
    root,
    kind: 'rollback',
    changes: changes.map(invert),
    drift: [],
    source: objectSource(world),
  });
}

function invert({ path, action, type, before, after, ignored }: Change): Change {
  const back = {
    ...(after === undefined ? {} : { before: after }),
    ...(before === undefined ? {} : { after: before }),
    ...(ignored === undefined ? {} : { ignored }),
  };
  if (action === 'modify') return { path, action, type: before?.type ?? type, ...back };
  return { path, action: action === 'create' ? 'delete' : 'create', type, ...back };
}

/** Reads content from the object store. */
export function objectSource(world: WorkspaceWorld): ContentSource {
  const objects = indexObjects(world);
  return (path, entry) => {
    const place = objects.get(entry.hash);
    if (place !== undefined) return readPlace(place);
    throw new Fault('E_INTEGRITY', `The content of ${path} is lost; nothing was written.`, {
      hint: 'It was never kept, or `work gc` removed it.',
      details: { path, hash: entry.hash },
    });
  };
}
