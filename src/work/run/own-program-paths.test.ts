import { describe, expect, it } from 'vitest';
import { ownProgramPaths } from './own-program-paths.ts';

describe('what a sandbox must show of this program', () => {
  it('is nothing where everybody sees it', () => {
    const program = ['/usr/bin/node', '/opt/deed/dist/bin/deed.cjs'];
    expect(ownProgramPaths({ program, home: '/home/ada/.deed' })).toEqual([]);
    expect(ownProgramPaths({ program: ['deed'], home: '/home/ada/.deed' })).toEqual([]);
  });

  it('is the folder that it is in, but never a hidden one as a whole, where the sandbox has a folder of its own or hides one', () => {
    expect(ownProgramPaths({ program: ['/tmp/x/deed'], home: '/home/ada/.deed' })).toEqual(['/tmp/x']);
    expect(ownProgramPaths({ program: ['/tmp/deed'], home: '/home/ada/.deed' })).toEqual(['/tmp/deed']);
    expect(
      ownProgramPaths({ program: ['/tmp/n/node', '/tmp/x/bin/deed.cjs'], home: '/home/ada/.deed' }),
    ).toEqual(['/tmp/n/node', '/tmp/x/bin']);
    expect(
      ownProgramPaths({ program: ['/usr/bin/node', '/tmp/x/bin/deed.cjs'], home: '/home/ada/.deed' }),
    ).toEqual(['/tmp/x/bin']);
    expect(ownProgramPaths({ program: ['/home/ada/.deed/deed'], home: '/home/ada/.deed' })).toEqual([
      '/home/ada/.deed/deed',
    ]);
  });
});
