import { join } from 'node:path';
import type { Recovered } from '../workspace.ts';
import { promotionLogName, readPromotionLog } from './promotion-log.ts';
import { finishPromotion, undoPromotion } from './run-promotion.ts';
import type { TreeIo } from './tree-io.ts';

/** Lists the runs with an unfinished promotion. The caller holds the tree's lock, so no process is working on them. */
export function listOpenPromotions(io: TreeIo, path: string): readonly string[] {
  const folder = io.openRoot(path);
  try {
    return io
      .list(folder)
      .filter((name) => name.endsWith('.journal'))
      .flatMap((name) => {
        const found = readPromotionLog(io, folder, { name, path: join(path, name) });
        if (found !== undefined) return [found.log.runId];
        // Its first line is incomplete, so nothing was changed.
        io.unlink(folder, name);
        return [];
      });
  } finally {
    io.close(folder);
  }
}

/** Recovers one interrupted promotion: a committed one is finished, others are undone. The caller holds the tree's lock. */
export function recoverPromotion(io: TreeIo, path: string, runId: string): Recovered | undefined {
  const logs = io.openRoot(path);
  try {
    if (io.stat(logs, promotionLogName(runId)) === undefined) return undefined;
    const name = promotionLogName(runId);
    const found = readPromotionLog(io, logs, { name, path: join(path, name) });
    if (found === undefined) return undefined;
    const { log, state } = found;
    const root = io.openRoot(log.root);
    try {
      if (state === 'open') {
        const leftAlone = undoPromotion(io, root, logs, log);
        return { runId, root: log.root, outcome: 'undone', leftAlone };
      }
      if (state === 'committed') finishPromotion(io, root, logs, log);
      else io.unlink(logs, promotionLogName(runId));
      const outcome = state === 'committed' ? 'finished' : 'undone';
      return { runId, root: log.root, outcome, leftAlone: [] };
    } finally {
      io.close(root);
    }
  } finally {
    io.close(logs);
  }
}
