import { expect, test } from 'vitest';
import { describeIsolation } from './describe-isolation.ts';

test('an overlay in a sandbox needs no message', () => {
  expect(describeIsolation({ mode: 'overlay', sandboxed: true, fallbacks: [] })).toBeUndefined();
});

test.each([
  [
    { mode: 'copy', sandboxed: true },
    'The agents worked in a copy, confined by bubblewrap. Run deed doctor for details.',
  ],
  [
    { mode: 'copy', sandboxed: false, fallbacks: ['There is no bubblewrap.'] },
    'The agents worked in a copy, without a sandbox. There is no bubblewrap. Run deed doctor for details.',
  ],
])('%j is described', (isolation, expected) => {
  expect(describeIsolation(isolation)).toBe(expected);
});
