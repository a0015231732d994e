import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { assertPrivateFolder, ensurePrivateFolder } from './private-folder.ts';

let folder = '';
const uid = process.getuid?.() ?? 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deed-private-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a folder and its parents are made for this account alone', () => {
  const path = join(folder, 'a', 'b');
  ensurePrivateFolder(path);
  expect([statSync(path).mode & 0o777, statSync(join(folder, 'a')).mode & 0o777]).toEqual([0o700, 0o700]);
  expect(() => assertPrivateFolder(path, uid)).not.toThrow();
});

test('a second call does no harm', () => {
  ensurePrivateFolder(join(folder, 'a'));
  writeFileSync(join(folder, 'a', 'kept'), '');
  ensurePrivateFolder(join(folder, 'a'));
  expect(statSync(join(folder, 'a', 'kept')).isFile()).toBe(true);
});

test('a file in the way is a coded fault', () => {
  writeFileSync(join(folder, 'a'), '');
  expect(() => ensurePrivateFolder(join(folder, 'a', 'b'))).toThrow(
    expect.objectContaining({ code: 'E_IO', details: { path: join(folder, 'a', 'b'), reason: 'ENOTDIR' } }),
  );
});

test('a folder that others may enter, a link, a file or a foreign owner is not private', () => {
  const open = join(folder, 'open');
  mkdirSync(open);
  chmodSync(open, 0o750);
  const link = join(folder, 'link');
  mkdirSync(join(folder, 'real'), { mode: 0o700 });
  symlinkSync(join(folder, 'real'), link);
  const file = join(folder, 'file');
  writeFileSync(file, '', { mode: 0o600 });
  for (const path of [open, link, file]) {
    expect(() => assertPrivateFolder(path, uid)).toThrow(expect.objectContaining({ code: 'E_FORBIDDEN' }));
  }
  expect(() => assertPrivateFolder(join(folder, 'real'), uid + 1)).toThrow(
    expect.objectContaining({ code: 'E_FORBIDDEN' }),
  );
});
