import { expect, test } from 'vitest';
import { describeIsolation } from './describe-isolation.ts';

test('an overlay in a sandbox is as good as it gets', () => {
  expect(describeIsolation({ mode: 'overlay', sandboxed: true, fallbacks: [] })).toBeUndefined();
});

test.each([
  [{ mode: 'copy', sandboxed: true }, 'The agents worked in a copy. deed doctor tells what would help.'],
  [
    { mode: 'copy', sandboxed: false, fallbacks: ['There is no bubblewrap.'] },
    'The agents worked in a copy, without a sandbox. There is no bubblewrap. deed doctor tells what would help.',
  ],
])('%j is told', (isolation, expected) => {
  expect(describeIsolation(isolation)).toBe(expected);
});
