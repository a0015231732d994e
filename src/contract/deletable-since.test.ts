import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKernelContext, type KernelContext } from '../../test/fixtures/kernel-context.ts';
import { allowDeletionByAge, deletableSince } from './deletable-since.ts';

let context: KernelContext;
beforeEach(() => {
  context = createKernelContext();
});
afterEach(() => context.dispose());

test('the first automatic deletion records its time, and later ones use it', () => {
  expect([deletableSince(context.home, 1000), deletableSince(context.home, 2000)]).toEqual([1000, 1000]);
  expect(statSync(context.home.at('retention.json')).mode & 0o777).toBe(0o600);
});

test('a confirmed cleanup makes all data subject to retention, and can be repeated', () => {
  deletableSince(context.home, 1000);
  allowDeletionByAge(context.home);
  allowDeletionByAge(context.home);
  expect(deletableSince(context.home, 2000)).toBe(0);
});

test('a damaged record protects all data until a cleanup was confirmed', () => {
  context.home.folder();
  for (const text of ['', '{', 'null', '{"deletable_since":"soon"}']) {
    writeFileSync(context.home.at('retention.json'), text);
    expect(deletableSince(context.home, 5000)).toBe(5000);
    expect(readFileSync(context.home.at('retention.json'), 'utf8')).toBe(text);
  }
  allowDeletionByAge(context.home);
  expect(deletableSince(context.home, 6000)).toBe(0);
});

test.skipIf(process.getuid?.() === 0)('a read-only home protects all data', () => {
  chmodSync(context.home.folder(), 0o500);
  expect(deletableSince(context.home, 5000)).toBe(5000);
  chmodSync(context.home.path, 0o700);
});
