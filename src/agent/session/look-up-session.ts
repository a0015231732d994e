import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../../base/clock.ts';

/** Returns the time of a session's last snapshot, or undefined without one. The id may be untrusted text. */
export function lookUpSession(folder: string, id: string): { readonly lastSeenAt: string } | undefined {
  if (!/^[0-9a-f]{32}$/u.test(id)) return undefined;
  const stats = statSync(join(folder, `${id}.json.gz`), { throwIfNoEntry: false });
  return stats && { lastSeenAt: isoTime(stats.mtimeMs) };
}
