import { hashItem } from '../item/hash-item.ts';
import type { WorkItem } from '../item/work-item.ts';
import { readReceipt } from '../receipt/read-receipt.ts';
import { searchChain } from '../receipt/receipt-chain.ts';
import { chainPath } from '../run/run-folder.ts';
import type { WorkContext } from '../work-context.ts';
import { runStateOrDamage } from './job.ts';
import type { Tree } from '../workspace/tree.ts';
import type { Snapshot } from '../workspace/workspace.ts';

/**
 * Finds a successful run of the same item that left the tree in exactly its current state. Its result is returned again and nothing
 * runs. After a rollback the tree is in a different state, so the item runs.
 */
export function findDuplicate(
  context: WorkContext,
  item: WorkItem,
  snapshot: Snapshot,
  tree: Tree,
): string | undefined {
  const itemHash = hashItem(item);
  const { root, branch } = { root: tree.root, branch: undefined, ...tree.checkout };
  return searchChain(chainPath(context.home), 'work_item_hash', itemHash).findLast(
    (line) =>
      line.phase === 'tranche' &&
      line.status === 'success' &&
      line.root === root &&
      line.after_hash === snapshot.hash &&
      runStateOrDamage(context.home, line.run_id).status === 'success' &&
      readReceipt(context.home, line.run_id)?.landing?.branch === branch,
  )?.run_id;
}
