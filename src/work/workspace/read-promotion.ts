import { dirname } from 'node:path';
import { damaged } from '../../base/damaged.ts';
import { Fault } from '../../base/fault.ts';
import { findPromotionLog } from './promotion-log-folder.ts';
import { createDiskTreeIo } from './promotion/disk-tree-io.ts';
import {
  doneName,
  promotionLogName,
  readPromotionLog,
  type PromotionLog,
} from './promotion/promotion-log.ts';
import type { WorkspaceContext } from './workspace.ts';

/** Whether a run was promoted: `open` if its process exited before the promotion was committed or cleaned up. */
export function promotionState(context: WorkspaceContext, runId: string): 'committed' | 'open' | 'none' {
  if (findPromotionLog(context, promotionLogName(runId)) !== undefined) return 'open';
  return findPromotionLog(context, doneName(runId)) === undefined ? 'none' : 'committed';
}

/** Reads the log of a committed promotion. */
export function readPromotion(context: WorkspaceContext, runId: string): PromotionLog {
  const path = findPromotionLog(context, doneName(runId));
  if (path === undefined)
    throw new Fault('E_NOT_FOUND', `Run ${runId} was not promoted.`, { details: { run: runId } });
  const io = createDiskTreeIo(undefined);
  const folder = io.openRoot(dirname(path));
  try {
    const found = readPromotionLog(io, folder, { name: doneName(runId), path });
    if (found?.state === 'committed') return found.log;
    throw damaged(path, 'it is incomplete', `Restore ${path} from a backup.`);
  } finally {
    io.close(folder);
  }
}
