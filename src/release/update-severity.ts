import type { ChangelogEntry } from './parse-changelog.ts';
import { compareVersions, isNewer, parseVersion } from './version.ts';

export type UpdateSeverity = 'info' | 'warning';

/** Grades an update: a warning when it closes a security hole or may break callers, information otherwise. */
export function gradeUpdate(
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
