import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../scripts/build-constants.ts';

it('the pages of docs/reference and the Skill’s list of commands match the source', () => {
  const { status, stderr } = spawnSync(
    join(ROOT, 'node_modules/.bin/node'),
    ['scripts/gen-docs.ts', '--check'],
    { cwd: ROOT, encoding: 'utf8' },
  );
  expect([status, stderr]).toEqual([0, '']);
}, 120_000);
