import { existsSync } from 'node:fs';
import { writeFileDurably } from '../system/durable-file.ts';
import type { AuditHead } from './audit-head.ts';
import type { Home } from './home.ts';

/** Exists once a line was logged and flushed; outside the audit folder, so that a deleted log is not mistaken for a log that never existed. */
export const ANCHOR = 'audit.anchor';

export function hasAuditAnchor(home: Home): boolean {
  return existsSync(home.at(ANCHOR));
}

/** Whether the file is missing although it must exist. It need not exist for a log of a version without the file, or after a crash right after the first line. */
export function isAnchorMissing(home: Home, head: AuditHead | undefined): boolean {
  return head?.synced !== undefined && head.seq > 1 && !hasAuditAnchor(home);
}

/** Never throws: without the anchor only the deletion of the whole folder is not detected. */
export function setAuditAnchor(home: Home): void {
  try {
    if (!hasAuditAnchor(home)) writeFileDurably(home.at(ANCHOR), 'A line was logged.\n');
  } catch {
    // See above.
  }
}
