import type { ChangelogEntry } from '../base/changelog-entry.ts';

declare const __DEED_CHANGELOG__: readonly ChangelogEntry[];

/** The changelog of this build, in a separate module because only one command reads it. Empty when run from source. */
export const CHANGELOG: readonly ChangelogEntry[] =
  typeof __DEED_CHANGELOG__ === 'undefined' ? [] : __DEED_CHANGELOG__;
