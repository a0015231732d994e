/** Constants that the build defines; see scripts/build-constants.ts. */
interface BuildConstants {
  readonly version: string;
  /** Set when the executable was built for musl instead of glibc. */
  readonly libc?: 'musl';
}

declare const __DEED_BUILD__: BuildConstants;

/** The constants of this build. When run from source, the version is 0.0.0-source. */
export const BUILD: BuildConstants =
  typeof __DEED_BUILD__ === 'undefined' ? { version: '0.0.0-source' } : __DEED_BUILD__;
