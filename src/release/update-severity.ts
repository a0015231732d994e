import type { ChangelogEntry } from '../base/changelog-entry.ts';
import { compareVersions, isNewer, parseVersion } from './version.ts';

export type UpdateSeverity = 'info' | 'warning';

/** Returns the severity of an update: `warning` for a security fix or a new major version, otherwise `info`. */
export function severityOf(
  running: string,
  latest: string,
  changelog: readonly ChangelogEntry[],
): UpdateSeverity {
  const from = parseVersion(running);
  const to = parseVersion(latest);
  if (from === undefined || to === undefined || compareVersions(to, from) <= 0) return 'info';
  if (to.major > from.major) return 'warning';
  const delta = changelog.filter(
    (entry) => isNewer(entry.version, running) && !isNewer(entry.version, latest),
  );
  return delta.some((entry) => (entry.changes.security?.length ?? 0) > 0) ? 'warning' : 'info';
}
