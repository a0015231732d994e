import { expect, test } from 'vitest';
import { explainAgentFailure } from './explain-agent-failure.ts';

test.each([
  ["fatal: renaming 'd' failed: Invalid cross-device link", 'overlay', true],
  ["Error: EXDEV: cross-device link not permitted, rename 'd' -> 'e'", 'overlay', true],
  ['fatal: renaming failed: Permission denied', 'overlay', false],
  ['Invalid cross-device link', 'copy', false],
] as const)('%j in mode %s is explained: %s', (output, mode, isExplained) => {
  expect(explainAgentFailure('exit code 128', output, { mode })).toBe(
    isExplained
      ? 'exit code 128: an overlay cannot rename a folder of the tree (EXDEV); use mv instead of git mv or rename, or set work.workspace to copy'
      : 'exit code 128',
  );
  expect(explainAgentFailure(undefined, output, { mode })).toBeUndefined();
});
