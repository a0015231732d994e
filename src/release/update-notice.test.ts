import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  clearUpdateNotice,
  readUpdateNotice,
  writeUpdateNotice,
  type UpdateNotice,
} from './update-notice.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deed-notice-'));
  path = join(folder, 'update-check.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NOTICE: UpdateNotice = {
  type: 'update_available',
  severity: 'warning',
  current_version: '0.1.0',
  latest_version: '0.2.0',
  install_method: 'standalone',
  recommended_command: 'deed update',
  release_url: 'https://example.com/tag/v0.2.0',
  checked_at: '2026-01-01T00:00:00.000Z',
  next_steps: [{ action: 'update', command: 'deed update' }],
};

test('a notice is written with mode 0600 and read again', async () => {
  writeUpdateNotice(path, NOTICE);
  expect(await readUpdateNotice(path, '0.1.0')).toEqual(NOTICE);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a notice is returned only while the latest version is newer than the running one', async () => {
  writeUpdateNotice(path, NOTICE);
  expect(await readUpdateNotice(path, '0.2.0')).toBeUndefined();
  expect(await readUpdateNotice(path, '0.3.0')).toBeUndefined();
  expect(await readUpdateNotice(path, '0.2.0-rc.1')).toEqual({ ...NOTICE, current_version: '0.2.0-rc.1' });
});

test('a missing, deleted or corrupt cache is treated as empty', async () => {
  expect(await readUpdateNotice(path, '0.1.0')).toBeUndefined();
  writeUpdateNotice(path, NOTICE);
  clearUpdateNotice(path);
  expect(existsSync(path)).toBe(false);
  clearUpdateNotice(path);
  const corrupt: unknown[] = [
    '',
    '{',
    'null',
    '[]',
    '"x"',
    '{}',
    { ...NOTICE, type: 'other' },
    { ...NOTICE, severity: 'high' },
    { ...NOTICE, latest_version: 7 },
    { ...NOTICE, latest_version: 'new' },
    { ...NOTICE, next_steps: null },
    { ...NOTICE, next_steps: [1] },
    'x'.repeat(100_000),
  ];
  for (const content of corrupt) {
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    expect(await readUpdateNotice(path, '0.1.0')).toBeUndefined();
  }
  expect(await readUpdateNotice(folder, '0.1.0')).toBeUndefined();
});

test('unknown fields of the file are dropped', async () => {
  writeFileSync(
    path,
    JSON.stringify({ ...NOTICE, extra: 'x', next_steps: [{ action: 'a', command: 'b', extra: 1 }] }),
  );
  expect(await readUpdateNotice(path, '0.1.0')).toEqual({
    ...NOTICE,
    next_steps: [{ action: 'a', command: 'b' }],
  });
});
