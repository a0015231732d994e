import type { SemVer } from 'semver';
import compare from 'semver/functions/compare.js';
import parse from 'semver/functions/parse.js';

export type Version = SemVer;

const MAX_LENGTH = 128;
/** The library trims its input; the name of a tag or an archive must match exactly. */
const UNTRIMMED = /^\s|\s$/u;

/** Parses a semantic version, with or without a leading `v`; undefined when the text is not one. */
export function parseVersion(text: string): Version | undefined {
  if (text.length > MAX_LENGTH || UNTRIMMED.test(text)) return undefined;
  return parse(text) ?? undefined;
}

/** Renders a version the way tags and archives spell it: without `v` and build metadata. */
export function renderVersion({ version }: Version): string {
  return version;
}

/** Compares two versions: negative when the left one is older, zero when they are equal. */
export function compareVersions(left: Version, right: Version): number {
  return compare(left, right);
}

/** Whether one version is newer than another; false if either is invalid. */
export function isNewer(candidate: string, than: string): boolean {
  const left = parseVersion(candidate);
  const right = parseVersion(than);
  return left !== undefined && right !== undefined && compareVersions(left, right) > 0;
}
