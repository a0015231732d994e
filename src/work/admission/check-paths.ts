import { compilePathGlob } from '../../base/path-glob.ts';
import type { WorkItem } from '../item/work-item.ts';

const MAX_LISTED = 5;

/** Why the changed paths are not what an item allows; undefined if they are. A pattern that cannot be used allows nothing. */
export function checkPaths(
  { allow, deny }: NonNullable<WorkItem['paths']>,
  paths: readonly string[],
): string | undefined {
  const denied = deny === undefined ? [] : paths.filter(matchesAny(deny, true));
  if (denied.length > 0) return `Changed denied paths: ${list(denied)}`;
  if (allow === undefined) return undefined;
  const isAllowed = matchesAny(allow, false);
  const outside = paths.filter((path) => !isAllowed(path));
  return outside.length === 0 ? undefined : `Changed paths that are not allowed: ${list(outside)}`;
}

function matchesAny(globs: readonly string[], ifInvalid: boolean): (path: string) => boolean {
  const patterns = globs.map((glob) => compilePathGlob(glob) ?? (() => ifInvalid));
  return (path) => patterns.some((matches) => matches(path));
}

function list(paths: readonly string[]): string {
  const more = paths.length > MAX_LISTED ? ` and ${paths.length - MAX_LISTED} more` : '';
  return `${paths.slice(0, MAX_LISTED).join(', ')}${more}`;
}
