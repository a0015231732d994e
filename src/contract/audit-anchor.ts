import { existsSync } from 'node:fs';
import { writeFileDurably } from '../system/durable-file.ts';
import type { Home } from './home.ts';

/** Exists once a line was logged and flushed; outside the audit folder, so that a deleted log is not mistaken for one that never existed. */
const ANCHOR = 'audit.anchor';

export function hasAuditAnchor(home: Home): boolean {
  return existsSync(home.at(ANCHOR));
}

/** Never throws: without the anchor only the deletion of the whole folder is not detected. */
export function setAuditAnchor(home: Home): void {
  try {
    if (!hasAuditAnchor(home)) writeFileDurably(home.at(ANCHOR), 'A line was logged.\n');
  } catch {
    // See above.
  }
}
