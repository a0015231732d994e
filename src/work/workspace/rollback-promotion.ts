import { Fault } from '../../base/fault.ts';
import { indexObjects, readPlace } from './object-store.ts';
import { promoteChanges } from './promote-changes.ts';
import type { ContentSource } from './promotion/subtree.ts';
import { readPromotion } from './read-promotion.ts';
import type { Change, Promotion, WorkspaceContext } from './workspace.ts';

/** Undoes a promoted run. Contract: E_CONFLICT with `details.paths` when something later touched its files; nothing written then. */
export async function rollbackPromotion(context: WorkspaceContext, runId: string): Promise<Promotion> {
  return promoteChanges(context, {
    runId: rollbackName(runId),
    root: readPromotion(context, runId).root,
    kind: 'rollback',
    changes: changesBack(context, runId),
    drift: [],
    source: objectSource(context),
  });
}

/** What taking a promoted run back changes. */
export function changesBack(context: WorkspaceContext, runId: string): readonly Change[] {
  return readPromotion(context, runId).changes.map(invert);
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
export function objectSource(context: WorkspaceContext): ContentSource {
  const objects = indexObjects(context);
  return (path, entry) => {
    const place = objects.get(entry.hash);
    if (place !== undefined) return readPlace(place);
    throw new Fault('E_INTEGRITY', `The content of ${path} is lost; nothing was written.`, {
      hint: 'It was never kept, or `work gc` removed it.',
      details: { path, hash: entry.hash },
    });
  };
}
