import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../scripts/build-constants.ts';
import { SLOWEST } from '../project-order.ts';

it('the list of the slowest test files contains only existing files', () => {
  expect(SLOWEST.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
