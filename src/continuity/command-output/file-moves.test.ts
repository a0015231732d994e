import { expect, it } from 'vitest';
import { findMoves, movedPath } from './file-moves.ts';

it.each([
  ['git mv a.py b.py', [['/p/a.py', '/p/b.py']]],
  [
    'git mv a.py b.py && git mv tests/a.py tests/b.py',
    [
      ['/p/a.py', '/p/b.py'],
      ['/p/tests/a.py', '/p/tests/b.py'],
    ],
  ],
  ["mv -f 'old name.ts' src/", [['/p/old name.ts', '/p/src/old name.ts']]],
  [
    'mv a.ts b.ts lib',
    [
      ['/p/a.ts', '/p/lib/a.ts'],
      ['/p/b.ts', '/p/lib/b.ts'],
    ],
  ],
  ['cd web && mv a.ts ../b.ts', [['/p/web/a.ts', '/p/b.ts']]],
  ['git rm -q a.py', [['/p/a.py', undefined]]],
  ['rm -rf /p/build', [['/p/build', undefined]]],
  ['git rm --cached a.py', []],
  ['rm *.log; mv $A b', []],
  ["find . -name x -exec rm -r {} +; echo 'rm a'; git commit -m 'rm b'", []],
] as const)('%s moves %j', (line, expected) => {
  expect(findMoves(line, '/p').map(({ from, to }) => [from, to])).toEqual(expected);
});

it('moving a folder moves its files, and other files stay', () => {
  expect(movedPath('/p/a/x.ts', { from: '/p/a', to: '/p/b' })).toBe('/p/b/x.ts');
  expect(movedPath('/p/a/x.ts', { from: '/p/a' })).toBe(null);
  expect(movedPath('/p/ab.ts', { from: '/p/a', to: '/p/b' })).toBe(undefined);
});
