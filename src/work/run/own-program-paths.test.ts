import { describe, expect, it } from 'vitest';
import type { WorkContext } from '../work-context.ts';
import { ownProgramPaths } from './own-program-paths.ts';

const workspace = { accountHome: '/home/ada' } as WorkContext['workspace'];

describe('the program paths in a sandbox', () => {
  it('are empty if the program is visible anyway', () => {
    const program = ['/opt/deed/dist/bin/deed'];
    expect(ownProgramPaths({ program, home: '/home/ada/.deed', workspace })).toEqual([]);
    expect(ownProgramPaths({ program: ['deed'], home: '/home/ada/.deed', workspace })).toEqual([]);
  });

  it('are the folder of the program if the sandbox hides it, but never a whole hidden folder', () => {
    expect(ownProgramPaths({ program: ['/tmp/x/deed'], home: '/home/ada/.deed', workspace })).toEqual([
      '/tmp/x',
    ]);
    expect(ownProgramPaths({ program: ['/tmp/deed'], home: '/home/ada/.deed', workspace })).toEqual([
      '/tmp/deed',
    ]);
    expect(
      ownProgramPaths({ program: ['/home/ada/.deed/deed'], home: '/home/ada/.deed', workspace }),
    ).toEqual(['/home/ada/.deed/deed']);
    expect(ownProgramPaths({ program: ['/home/ada/.local/bin/deed'], home: '/var/deed', workspace })).toEqual(
      ['/home/ada/.local/bin'],
    );
  });
});
