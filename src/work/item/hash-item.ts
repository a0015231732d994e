import { canonicalJson } from '../../base/json.ts';
import { sha256 } from '../../base/digest.ts';
import type { WorkItem } from './work-item.ts';

/** Names an item by what it asks for, defaults included: two files that mean the same give the same hash. */
export function hashItem(item: WorkItem): string {
  return sha256(canonicalJson(item));
}
