import { statSync } from 'node:fs';
import { describeLoss, lostWrites } from '../lost-writes.ts';
import type { WriteRecord } from '../write-record.ts';

/** Refuses to create a store, or to read an empty one, where an earlier store was written and is now missing. */
export function assertNotRemoved(path: string, record: WriteRecord | undefined): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  const known = record?.read() ?? 0;
  if (known > 0) throw lostWrites(path, describeLoss(known, 0));
}
