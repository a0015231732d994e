import { hashItem } from '../item/hash-item.ts';
import type { WorkItem } from '../item/work-item.ts';
import { readChain } from '../receipt/receipt-chain.ts';
import { chainPath } from '../run/run-folder.ts';
import type { WorkContext } from '../work-context.ts';
import { runStateOrDamage } from './job.ts';
import type { Snapshot } from '../workspace/workspace.ts';

/**
 * Finds a successful run of the same item that left the tree in exactly its current state. Its result is returned again and nothing
 * runs. After a rollback the tree is in a different state, so the item runs.
 */
export function findDuplicate(context: WorkContext, item: WorkItem, snapshot: Snapshot): string | undefined {
  const itemHash = hashItem(item);
  const lines = readChain(chainPath(context.home));
  return lines.findLast(
    (line) =>
      line.phase === 'tranche' &&
      line.status === 'success' &&
      line.work_item_hash === itemHash &&
      line.root === snapshot.root &&
      line.after_hash === snapshot.hash &&
      runStateOrDamage(context.home, line.run_id).status === 'success',
  )?.run_id;
}
