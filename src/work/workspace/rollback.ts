import { Fault } from '../../base/fault.ts';
import { indexObjects, readPlace } from './object-store.ts';
import { promoteChanges } from './promote-changes.ts';
import type { ContentSource } from './promotion/subtree.ts';
import { readPromotion } from './read-promotion.ts';
import type { Change, Promotion, WorkspaceWorld } from './workspace.ts';

/** Undoes a promoted run. Contract: E_CONFLICT with `details.paths` when something later touched its files; nothing written then. */
export async function rollback(world: WorkspaceWorld, runId: string): Promise<Promotion> {
  return promoteChanges(world, {
    runId: rollbackName(runId),
    root: readPromotion(world, runId).root,
    kind: 'rollback',
    changes: changesBack(world, runId),
    drift: [],
    source: objectSource(world),
  });
}

/** What taking a promoted run back changes. */
export function changesBack(world: WorkspaceWorld, runId: string): readonly Change[] {
  return readPromotion(world, runId).changes.map(invert);
}

/** Under which name the taking back of a run is journalled. */
export function rollbackName(runId: string): string {
  return `${runId}.rollback`;
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
