import { describe, expect, it } from 'vitest';
import { isGitPath } from './git-name.ts';

describe('a path that a file system can take for .git', () => {
  it.each([
    '.git',
    '.GIT/hooks/pre-commit',
    'sub/.gIt/config',
    '.g\u200Cit/hooks/pre-commit',
    '.git\u200C',
    '\uFEFF.git/config',
    '.gi\u00ADt/config',
    '.\uFF47\uFF49\uFF54/config',
    'git~1',
    'GIT~1/config',
    'a/git~2/config',
    '.git.',
    '.git ',
    '.git . ./config',
    '.git::$INDEX_ALLOCATION/config',
    '.git:stream',
    'a\\.git\\hooks\\pre-commit',
  ])('is recognised: %j', (path) => {
    expect(isGitPath(path)).toBe(true);
  });

  it.each([
    '.gitignore',
    '.github/workflows/a.yml',
    'git',
    'git~',
    'git~1.txt',
    'x.git',
    '.git-hooks',
    'dir.git/a',
    '.g\u0131t',
  ])('is not %j', (path) => {
    expect(isGitPath(path)).toBe(false);
  });
});
