import { expect, test } from 'vitest';
import { parseChangelog } from './parse-changelog.ts';

const NONE = { added: [], changed: [], fixed: [], deprecated: [], removed: [], security: [] };

const CHANGELOG = `# Changelog

All notable changes are listed here. The format is [Keep a Changelog](https://keepachangelog.com).

## [Unreleased]

### Added

- Not out yet.

## [1.1.0] - 2026-06-07

A quiet release.

### Added
- A long change that
  continues on the next line
  and ends here.
- A change with parts:
  - the first part,
    wrapped
  - the second part
* A bullet of another kind.

### Security

- Closed a hole ([#12]).

### Notes from the team

- This heading is not one of the six.

## 1.0.0-rc.1 – 2026-05-01
### Fixed
- One fix.

## [0.9.0]

[Unreleased]: https://example.com/compare/v1.1.0...HEAD
[1.1.0]: https://example.com/releases/v1.1.0
[#12]: https://example.com/12
`;

test('released versions become entries with whole bullets by kind', () => {
  expect(parseChangelog(CHANGELOG)).toEqual([
    {
      version: '1.1.0',
      date: '2026-06-07',
      changes: {
        ...NONE,
        added: [
          'A long change that continues on the next line and ends here.',
          'A change with parts:\n- the first part, wrapped\n- the second part',
          'A bullet of another kind.',
        ],
        security: ['Closed a hole ([#12]).'],
      },
    },
    { version: '1.0.0-rc.1', date: '2026-05-01', changes: { ...NONE, fixed: ['One fix.'] } },
    { version: '0.9.0', date: null, changes: NONE },
  ]);
});

test('unreleased changes are an entry only on request', () => {
  expect(parseChangelog(CHANGELOG, { unreleased: true })[0]).toEqual({
    version: 'Unreleased',
    date: null,
    changes: { ...NONE, added: ['Not out yet.'] },
  });
});

test('a version heading may be a link and end in CRLF', () => {
  expect(
    parseChangelog('## [2.0.0](https://example.com/v2) - 2026-01-02\r\n### Removed\r\n- Old\r\n  thing.\r\n'),
  ).toEqual([{ version: '2.0.0', date: '2026-01-02', changes: { ...NONE, removed: ['Old thing.'] } }]);
});

test('comments are not changes', () => {
  expect(
    parseChangelog('## [1.0.0]\n### Added\n<!-- - hidden\n- hidden too -->\n- Shown\n')[0]?.changes.added,
  ).toEqual(['Shown']);
});

test('a text without versions has no entries', () => {
  expect(parseChangelog('')).toEqual([]);
  expect(parseChangelog('# Changelog\n\nNothing yet.\n')).toEqual([]);
});

test('ignores a heading named like a member of every object', () => {
  const text = '## 1.0.0 - 2026-05-01\n### Constructor\n- x\n### toString\n- y\n### Fixed\n- One fix.\n';
  expect(parseChangelog(text)).toEqual([
    { version: '1.0.0', date: '2026-05-01', changes: { ...NONE, fixed: ['One fix.'] } },
  ]);
});
