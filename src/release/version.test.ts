import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareVersions, isNewer, parseVersion, renderVersion, type Version } from './version.ts';

const identifier = fc.oneof(fc.nat(99), fc.stringMatching(/^[0-9]{0,2}[A-Za-z-][0-9A-Za-z-]{0,4}$/u));
const version: fc.Arbitrary<Version> = fc.record({
  major: fc.nat(3),
  minor: fc.nat(3),
  patch: fc.nat(3),
  prerelease: fc.array(identifier, { maxLength: 3 }),
});

const sign = (left: Version, right: Version): number => Math.sign(compareVersions(left, right));

test('a version survives being rendered and parsed', () => {
  fc.assert(
    fc.property(version, (value) => {
      expect(parseVersion(renderVersion(value))).toEqual(value);
    }),
  );
});

test('the order is total: antisymmetric, transitive, and equal only for equal versions', () => {
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      expect(sign(a, b) + sign(b, a)).toBe(0);
      expect(sign(a, b) === 0).toBe(renderVersion(a) === renderVersion(b));
      if (sign(a, b) <= 0 && sign(b, c) <= 0) expect(sign(a, c)).toBeLessThanOrEqual(0);
    }),
  );
});

test('versions rank as semver.org lists them', () => {
  const ordered = [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '1.1.0',
    '1.10.0',
    '2.0.0',
  ];
  for (const [index, older] of ordered.entries()) {
    for (const newer of ordered.slice(index + 1)) {
      expect([newer, older, isNewer(newer, older), isNewer(older, newer)]).toEqual([
        newer,
        older,
        true,
        false,
      ]);
    }
  }
});

test('a leading v and build metadata do not change the version', () => {
  expect(parseVersion('v1.2.3+build.7')).toEqual({ major: 1, minor: 2, patch: 3, prerelease: [] });
});

test('what is not a semantic version is refused', () => {
  for (const text of [
    '',
    '1',
    '1.2',
    '1.2.3.4',
    '01.2.3',
    '1.2.3-',
    '1.2.3-01',
    '1.2.3+',
    ' 1.2.3',
    '1.2.3/../x',
    `1.0.0-${'a'.repeat(200)}`,
  ]) {
    expect([text, parseVersion(text)]).toEqual([text, undefined]);
  }
});
