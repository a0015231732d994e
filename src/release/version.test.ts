import { expect, test } from 'vitest';
import { isNewer, parseVersion, renderVersion } from './version.ts';

test('versions are ordered as on semver.org', () => {
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
  const version = parseVersion('v1.2.3-rc.1+build.7');
  expect(version && renderVersion(version)).toBe('1.2.3-rc.1');
});

test('an invalid semantic version is rejected', () => {
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
    '1.2.3\n',
    '=1.2.3',
    'v v1.2.3',
    '1.2.99999999999999999999',
    '1.2.3/../x',
    `1.0.0-${'a'.repeat(200)}`,
  ]) {
    expect([text, parseVersion(text)]).toEqual([text, undefined]);
  }
});
