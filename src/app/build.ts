import type { ChangelogEntry } from '../contract/tool.ts';

/** What the build writes into the program; see scripts/build-constants.ts. */
interface BuildConstants {
  readonly version: string;
  readonly changelog: readonly ChangelogEntry[];
  /** Given where the executable was built for another C library than most Linux systems have. */
  readonly libc?: 'musl';
}

declare const __DEED_BUILD__: BuildConstants;

/** The constants of this build. Run from source there are none, and the version says so. */
export const BUILD: BuildConstants =
  typeof __DEED_BUILD__ === 'undefined' ? { version: '0.0.0-source', changelog: [] } : __DEED_BUILD__;
