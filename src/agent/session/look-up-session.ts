import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../../base/clock.ts';

/** Tells when a session was last written down, by an id that may be anybody's text; nothing when there is none of it. */
export function lookUpSession(folder: string, id: string): { readonly lastSeenAt: string } | undefined {
  if (!/^[0-9a-f]{32}$/u.test(id)) return undefined;
  const stats = statSync(join(folder, `${id}.json.gz`), { throwIfNoEntry: false });
  return stats && { lastSeenAt: isoTime(stats.mtimeMs) };
}
