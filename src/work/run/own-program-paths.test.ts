import { describe, expect, it } from 'vitest';
import { ownProgramPaths } from './own-program-paths.ts';

describe('what a sandbox must show of this program', () => {
  it('is nothing where everybody sees it', () => {
    const program = ['/opt/deed/dist/bin/deed'];
    expect(ownProgramPaths({ program, home: '/home/ada/.deed' })).toEqual([]);
    expect(ownProgramPaths({ program: ['deed'], home: '/home/ada/.deed' })).toEqual([]);
  });

  it('is the folder that it is in, but never a hidden one as a whole, where the sandbox has a folder of its own or hides one', () => {
    expect(ownProgramPaths({ program: ['/tmp/x/deed'], home: '/home/ada/.deed' })).toEqual(['/tmp/x']);
    expect(ownProgramPaths({ program: ['/tmp/deed'], home: '/home/ada/.deed' })).toEqual(['/tmp/deed']);
    expect(ownProgramPaths({ program: ['/home/ada/.deed/deed'], home: '/home/ada/.deed' })).toEqual([
      '/home/ada/.deed/deed',
    ]);
  });
});
