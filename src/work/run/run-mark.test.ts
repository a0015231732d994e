import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { isMarkOf, markOf } from './run-mark.ts';

let home: ReturnType<typeof temporaryFolder>;
let other: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  home = temporaryFolder('marks');
  other = temporaryFolder('marks');
});
afterEach(() => {
  home.dispose();
  other.dispose();
});

test('a mark is valid only for its run and home', () => {
  const mark = markOf(home.path, 'run_1');
  expect(mark).toBe(markOf(home.path, 'run_1'));
  expect(isMarkOf(home.path, 'run_1', mark)).toBe(true);
  expect(isMarkOf(home.path, 'run_2', mark)).toBe(false);
  expect(isMarkOf(home.path, 'run_1', '')).toBe(false);
  expect(isMarkOf(home.path, 'run_1', markOf(other.path, 'run_1'))).toBe(false);
});

test('a home without a key accepts no mark and creates none', () => {
  expect(isMarkOf(home.path, 'run_1', '')).toBe(false);
  expect(statSync(join(home.path, 'keys'), { throwIfNoEntry: false })).toBeUndefined();
  markOf(home.path, 'run_1');
  expect(statSync(join(home.path, 'keys/marks.key')).mode & 0o777).toBe(0o600);
});
