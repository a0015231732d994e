import { expect, test } from 'vitest';
import { parseReleaseMetadata } from './release-metadata.ts';

const NONE = { added: [], changed: [], fixed: [], deprecated: [], removed: [], security: [] };

test('version and changelog are read, unknown members are ignored', () => {
  const text = JSON.stringify({
    version: 'v1.2.0',
    later: true,
    changelog: [
      { version: '1.2.0', date: '2026-01-02', changes: { security: ['A hole.', 7], other: ['x'] } },
      { version: 'soon', changes: {} },
      'odd',
      { version: '1.1.0', changes: {} },
    ],
  });
  expect(parseReleaseMetadata(text, 'url')).toEqual({
    version: '1.2.0',
    changelog: [
      { version: '1.2.0', date: '2026-01-02', changes: { ...NONE, security: ['A hole.'] } },
      { version: '1.1.0', date: null, changes: NONE },
    ],
  });
});

test('metadata without a version is a failure of the server', () => {
  for (const text of ['', '<html>', 'null', '[]', '{}', '{"version":1}', '{"version":"../x"}']) {
    expect(() => parseReleaseMetadata(text, 'url'), text).toThrow(
      expect.objectContaining({ code: 'E_SERVER' }),
    );
  }
});
