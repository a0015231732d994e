import { expect, test } from 'vitest';
import { isolationSentence } from './isolation-sentence.ts';

test.each([
  [
    { mode: 'overlay', sandboxed: true, isolation: 'bubblewrap', fallbacks: [] },
    'The agents worked in an overlay, confined by bubblewrap.',
  ],
  [
    { mode: 'overlay', sandboxed: true, isolation: 'namespace' },
    'The agents worked in an overlay, confined by a user namespace.',
  ],
  [
    { mode: 'copy', sandboxed: true, isolation: 'landlock', fallbacks: ['Processes are visible.'] },
    'The agents worked in a copy, confined by Landlock. Processes are visible. Run deed doctor for details.',
  ],
  [
    { mode: 'copy', sandboxed: false, isolation: 'none', fallbacks: ['There is no bubblewrap.'] },
    'The agents worked in a copy, without a sandbox. There is no bubblewrap. Run deed doctor for details.',
  ],
])('%j is described', (isolation, expected) => {
  expect(isolationSentence(isolation)).toBe(expected);
});
