import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compressFile, decompressFile, isCompressed } from './compressed-file.ts';
import { temporaryFolder } from '../../test/fixtures/temporary-folder.ts';

/** Two pieces and a half, of which one cannot be compressed. */
const CONTENT = Buffer.concat([Buffer.alloc(5_000_000, 'abc'), randomBytes(5_000_000)]);

function compressed(content: Buffer): { folder: ReturnType<typeof temporaryFolder>; path: string } {
  const folder = temporaryFolder('compressed');
  const [plain, path] = [join(folder.path, 'plain'), join(folder.path, 'compressed')];
  writeFileSync(plain, content);
  const target = openSync(path, 'wx');
  compressFile(plain, target);
  closeSync(target);
  return { folder, path };
}

test.each([
  ['content of several pieces', CONTENT],
  ['an empty file', Buffer.alloc(0)],
])('%s is the same after compression', (_, content) => {
  const { folder, path } = compressed(content);
  const copy = join(folder.path, 'copy');
  expect([isCompressed(path), isCompressed(join(folder.path, 'plain'))]).toEqual([true, false]);
  decompressFile(path, copy, 'Restore it.');
  expect(readFileSync(copy).equals(content)).toBe(true);
  folder.dispose();
});

test('any cut and any changed bit is E_DAMAGED', () => {
  const { folder, path } = compressed(CONTENT);
  const bytes = readFileSync(path);
  const reasonAfter = (damage: () => void): unknown => {
    writeFileSync(path, bytes);
    damage();
    try {
      decompressFile(path, join(folder.path, `copy-${Math.random()}`), 'Restore it.');
      return 'not noticed';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  for (const length of [0, 10, 16, 100, bytes.length - 16, bytes.length - 1])
    expect(reasonAfter(() => truncateSync(path, length))).toBe('E_DAMAGED');
  for (const at of [0, 4, 8, 11, 12, 20, 100, 3_000_000, bytes.length - 20, bytes.length - 5]) {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ 4;
    expect([at, reasonAfter(() => writeFileSync(path, flipped))]).toEqual([at, 'E_DAMAGED']);
  }
  folder.dispose();
});
