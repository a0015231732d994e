/** A semantic version (semver.org 2.0.0); build metadata is accepted and has no rank, so it is not kept. */
export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  readonly prerelease: readonly (string | number)[];
}

const NUMBER = String.raw`(0|[1-9]\d{0,14})`;
const IDENTIFIER = String.raw`(?:0|[1-9]\d{0,14}|\d*[A-Za-z-][0-9A-Za-z-]*)`;
/** Made when it is asked for: most calls compare no versions. */
const versionPattern = (): RegExp =>
  new RegExp(
    String.raw`^v?${NUMBER}\.${NUMBER}\.${NUMBER}(?:-(${IDENTIFIER}(?:\.${IDENTIFIER})*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$`,
    'u',
  );
const MAX_LENGTH = 128;

/** Parses a version, with or without a leading `v`; nothing when the text is not one. */
export function parseVersion(text: string): Version | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const match = versionPattern().exec(text);
  if (match === null) return undefined;
  return {
    major: Number(match[1]),
    minor: Number(match[2]),
    patch: Number(match[3]),
    prerelease: match[4] === undefined ? [] : match[4].split('.').map(parseIdentifier),
  };
}

/** Renders a version the way tags and archives spell it: without `v` and build metadata. */
export function renderVersion(version: Version): string {
  const core = `${version.major}.${version.minor}.${version.patch}`;
  return version.prerelease.length === 0 ? core : `${core}-${version.prerelease.join('.')}`;
}

/** Orders two versions: negative when the left one is older, zero when they rank the same. */
export function compareVersions(left: Version, right: Version): number {
  return (
    left.major - right.major ||
    left.minor - right.minor ||
    left.patch - right.patch ||
    comparePrerelease(left.prerelease, right.prerelease)
  );
}

/** Tells whether one version text is newer than another; a text that is no version is newer than nothing. */
export function isNewer(candidate: string, than: string): boolean {
  const left = parseVersion(candidate);
  const right = parseVersion(than);
  return left !== undefined && right !== undefined && compareVersions(left, right) > 0;
}

function parseIdentifier(text: string): string | number {
  return /^\d+$/u.test(text) ? Number(text) : text;
}

function comparePrerelease(left: Version['prerelease'], right: Version['prerelease']): number {
  // A release ranks above its own prereleases.
  if (left.length === 0 || right.length === 0) return right.length - left.length;
  for (const [index, identifier] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareIdentifiers(identifier, other);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Numbers rank by value and below words; words rank by their ASCII bytes. */
function compareIdentifiers(left: string | number, right: string | number): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'number') return -1;
  if (typeof right === 'number') return 1;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
