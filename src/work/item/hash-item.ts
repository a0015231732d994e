import { canonicalJson } from '../../base/json.ts';
import { sha256 } from '../../system/digest.ts';
import type { WorkItem } from './work-item.ts';

/** Hashes an item with its defaults: two files with the same meaning have the same hash. */
export function hashItem(item: WorkItem): string {
  return sha256(canonicalJson(item));
}
