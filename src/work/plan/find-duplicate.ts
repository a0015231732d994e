import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hashItem } from '../item/hash-item.ts';
import type { WorkItem } from '../item/work-item.ts';
import { readChain } from '../receipt/receipt-chain.ts';
import { chainPath, runFolder } from '../run/run-folder.ts';
import type { WorkContext } from '../work-context.ts';
import type { Snapshot } from '../workspace/workspace.ts';

/**
 * Finds a run that has done this item already: it succeeded, and the tree is in the very state that it left. Its result is given
 * again and nothing runs. A tree that was taken back since is not in that state, so there the item runs.
 */
export function findDuplicate(context: WorkContext, item: WorkItem, snapshot: Snapshot): string | undefined {
  const wanted = hashItem(item);
  const lines = readChain(chainPath(context.home));
  return lines.findLast(
    (line) =>
      line.phase === 'tranche' &&
      line.status === 'success' &&
      line.work_item_hash === wanted &&
      line.root === snapshot.root &&
      line.after_hash === snapshot.hash &&
      existsSync(join(runFolder(context.home, line.run_id), 'result.json')),
  )?.run_id;
}
