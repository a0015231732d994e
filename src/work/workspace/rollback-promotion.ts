import { Fault } from '../../base/fault.ts';
import { indexObjects, readLocation } from './object-store.ts';
import { promoteChanges } from './promote-changes.ts';
import type { PromotionLog } from './promotion/promotion-log.ts';
import type { ContentSource } from './promotion/subtree.ts';
import { readPromotion } from './read-promotion.ts';
import type { TreeChange, Promotion, WorkspaceContext } from './workspace.ts';

/**
 * Rolls back a promoted run, by default as its promotion log describes it. Contract: E_CONFLICT with `details.paths` if its files were
 * changed since; then nothing is written.
 */
export async function rollbackPromotion(
  context: WorkspaceContext,
  runId: string,
  promoted: Pick<PromotionLog, 'root' | 'changes'> = readPromotion(context, runId),
): Promise<Promotion> {
  try {
    return await promoteChanges(context, {
      runId: rollbackName(runId),
      root: promoted.root,
      kind: 'rollback',
      changes: invertChanges(promoted.changes),
      drift: [],
      source: objectSource(context),
    });
  } catch (error) {
    throw describeConflict(error, runId);
  }
}

/** A rollback needs the files as the run left them; running the item again would not help. */
function describeConflict(error: unknown, runId: string): unknown {
  const paths = error instanceof Fault && error.code === 'E_CONFLICT' ? error.details.paths : undefined;
  if (!Array.isArray(paths)) return error;
  const named = paths.length === 1 ? String(paths[0]) : `${String(paths[0])} and ${paths.length - 1} more`;
  return new Fault('E_CONFLICT', `${named} changed since run "${runId}"; nothing was written.`, {
    hint: `Restore what the run left there, or undo the run by hand: "deed work diff ${runId}" shows its changes.`,
    details: (error as Fault).details,
    cause: error,
  });
}

/** The changes that undo other changes. */
export function invertChanges(changes: readonly TreeChange[]): readonly TreeChange[] {
  return changes.map(invert);
}

/** The run id in the promotion log of a rollback. */
export function rollbackName(runId: string): string {
  return `${runId}.rollback`;
}

function invert({ path, action, type, before, after, ignored }: TreeChange): TreeChange {
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
    const location = objects.get(entry.hash);
    if (location !== undefined) return readLocation(location);
    throw new Fault('E_DAMAGED', `The content of ${path} is missing; nothing was written.`, {
      hint: 'It was never stored, or `work gc` deleted it.',
      details: { path, hash: entry.hash },
    });
  };
}
