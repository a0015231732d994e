import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ROOT } from '../../scripts/build-constants.ts';
import { FAMILIES } from './corpus.ts';

const SITUATIONS = FAMILIES.flatMap(({ situations }) => situations);

test('has at least 150 situations with different ids, 100 of them to be kept, most with the real program', () => {
  expect(new Set(SITUATIONS.map(({ id }) => id)).size).toBe(SITUATIONS.length);
  expect(SITUATIONS.length).toBeGreaterThanOrEqual(150);
  expect(SITUATIONS.filter(({ label }) => label === 'keep').length).toBeGreaterThanOrEqual(100);
  expect(SITUATIONS.filter(({ standIn }) => standIn !== undefined).length).toBeLessThan(
    SITUATIONS.length / 10,
  );
});

test('is not used by the sources, the scripts and the fitted corpus', () => {
  const users = ['src', 'scripts', 'test/scenarios'].flatMap((folder) =>
    readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .filter((file) => readFileSync(`${ROOT}${folder}/${file}`, 'utf8').includes('situations/'))
      .map((file) => `${folder}/${file}`),
  );
  expect(users).toEqual([]);
});

test('every situation records a judged process', () => {
  const silent = SITUATIONS.filter(({ run }) => !/\b(?:bgn?|as|adopt|track) [a-z]/u.test(run));
  expect(silent.map(({ id }) => id)).toEqual([]);
});
