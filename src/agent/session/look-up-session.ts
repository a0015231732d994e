import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../../base/clock.ts';

/** Returns the time of a session's last record, or undefined if the session is unknown. The id may be untrusted text. */
export function lookUpSession(folder: string, id: string): { readonly lastSeenAt: string } | undefined {
  if (!/^[0-9a-f]{32}$/u.test(id)) return undefined;
  // Version 0.1.0 stored a snapshot instead of the records.
  const files = [`${id}.jsonl`, `${id}.json.gz`].map((name) =>
    statSync(join(folder, name), { throwIfNoEntry: false }),
  );
  const stats = files.find((file) => file !== undefined);
  return stats && { lastSeenAt: isoTime(stats.mtimeMs) };
}
