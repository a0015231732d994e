import { expect, it } from 'vitest';
import { readSources } from './source-files.ts';

/** A child without an explicit environment inherits ours, including variables that load code. */
const SPAWN = /(?<![.\w])(?:spawn|spawnSync|execFile|execFileSync|exec|execSync|fork)\((?<call>[^;]*)\)/gu;

it('every child process is started with an explicit environment', () => {
  const starting = readSources('src').filter(
    ({ path, text }) => !path.endsWith('.test.ts') && /child_process/u.test(text),
  );
  const calls = starting.flatMap(({ path, text }) =>
    [...text.matchAll(SPAWN)].map(({ groups }) => ({ path, call: groups?.call ?? '' })),
  );
  expect(calls.length).toBeGreaterThan(2);
  expect(calls.filter(({ call }) => !/\benv\b/u.test(call)).map(({ path }) => path)).toEqual([]);
});
