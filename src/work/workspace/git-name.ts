import { Fault } from '../../base/fault.ts';

const MAX_LISTED = 5;

/** Characters that HFS+ and case-folding file systems ignore in names. */
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/** `.git` as NTFS reads it: with its short name, with trailing dots and spaces, or as a stream. */
const GIT_ON_NTFS = /^(?:\.git|git~\d+)[ .]*(?::.*)?$/su;

/**
 * Whether some file system treats a name as `.git`, by case, ignored characters, normalisation or short names. Like git with
 * core.protectHFS and core.protectNTFS, but always, because a tree can be moved to such a file system.
 */
export function isGitName(name: string): boolean {
  return GIT_ON_NTFS.test(name.normalize('NFKC').replace(IGNORED, '').toLowerCase());
}

/** Whether a path contains a name that a file system can take for `.git`; a backslash separates names on Windows. */
export function isGitPath(path: string): boolean {
  return path.split(/[/\\]/u).some(isGitName);
}

/** A sentence that names the first of the paths. */
export function describeGitPaths(paths: readonly string[]): string {
  const more = paths.length > MAX_LISTED ? ` and ${paths.length - MAX_LISTED} more` : '';
  const quoted = paths.slice(0, MAX_LISTED).map((path) => JSON.stringify(path));
  return `names that a file system can take for .git are not allowed: ${quoted.join(', ')}${more}.`;
}

/** Rejects changes of such paths before anything is written. */
export function assertNoGitPaths(changes: readonly { readonly path: string }[]): void {
  const paths = changes.flatMap(({ path }) => (isGitPath(path) ? [path] : []));
  if (paths.length === 0) return;
  throw new Fault('E_DENIED', `The changes cannot be promoted: ${describeGitPaths(paths)}`, {
    details: { reason: 'invariant_violated', paths: paths.slice(0, MAX_LISTED) },
  });
}
