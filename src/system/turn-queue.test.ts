import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inTurn } from './turn-queue.ts';

const OPTIONS = { slots: 2, waitMs: 1000 };

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deed-turn-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a process has a ticket while it acts, and none afterwards', async () => {
  const queue = join(folder, 'queue');
  expect(await inTurn(queue, OPTIONS, async () => readdirSync(queue).length)).toBe(1);
  expect(readdirSync(queue)).toEqual([]);
});

test('a link in the place of the folder is not followed, and the process acts without its turn', async () => {
  const elsewhere = join(folder, 'elsewhere');
  mkdirSync(elsewhere, { mode: 0o700 });
  symlinkSync(elsewhere, join(folder, 'queue'));
  expect(await inTurn(join(folder, 'queue'), OPTIONS, async () => readdirSync(elsewhere))).toEqual([]);
});
