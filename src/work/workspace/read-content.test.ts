import { randomFillSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { collectContent, readContent } from './read-content.ts';

it('the content of a file of several chunks is collected as it is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'content-'));
  const path = join(folder, 'large');
  const content = randomFillSync(Buffer.alloc(2_500_000));
  writeFileSync(path, content);
  expect(collectContent(readContent(path, 'file')).equals(content)).toBe(true);
  rmSync(folder, { recursive: true });
});
