import type { AuditHead } from './audit-head.ts';
import { wasWritten } from './audit-witness.ts';

/** How the lines of a log end compared with its head. */
export type AuditEnding = 'complete' | 'torn' | 'cut';

/** Starts the note on the first line after lines lost in a crash. */
export const TORN = 'torn tail:';

/**
 * Compares the last line of a log with its head. Contract: `torn` means that all missing lines may have been lost by a power loss:
 * no flush included them, and the log was not seen with them since the computer was started.
 */
export function compareWithHead(
  folder: string,
  key: Uint8Array | undefined,
  head: AuditHead,
  end: { readonly seq: number; readonly hash: string },
): AuditEnding {
  if (end.seq > head.seq || (end.seq === head.seq && end.hash === head.hash)) return 'complete';
  const flushed = head.synced?.seq ?? head.seq;
  if (key === undefined || end.seq >= head.seq || end.seq < flushed) return 'cut';
  return wasWritten(folder, key, head) ? 'cut' : 'torn';
}

export function describeTorn(from: number, to: number): string {
  if (to < from) return `${TORN} an incomplete line was removed.`;
  const lines = from === to ? `line ${from} was` : `lines ${from} to ${to} were`;
  return `${TORN} ${lines} not on disk yet when the computer stopped.`;
}
