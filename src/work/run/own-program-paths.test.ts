import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import type { WorkContext } from '../work-context.ts';
import { ownProgramPaths } from './own-program-paths.ts';

describe('the program paths in a sandbox', () => {
  const folder = temporaryFolder('own-program');
  const at = (name: string): string => join(folder.path, name);
  const list = (...program: readonly string[]): readonly string[] => {
    const workspace = { accountHome: folder.path, deedHome: at('.deed') } as WorkContext['workspace'];
    return ownProgramPaths({ program, workspace }, folder.path);
  };
  beforeAll(() => {
    for (const name of ['.deed', 'packages', 'alone']) mkdirSync(at(name));
    for (const name of ['deed', 'packages/deed', 'packages/vybe', 'alone/deed']) {
      writeFileSync(at(name), '');
      chmodSync(at(name), 0o755);
    }
    symlinkSync('deed', at('vybe'));
    linkSync(at('deed'), at('pt'));
    symlinkSync('/etc/hostname', at('ai-agent'));
    writeFileSync(at('alone/pt'), 'no program');
  });
  afterAll(folder.dispose);

  it('are empty if the program is visible anyway', () => {
    expect(list('/opt/deed/dist/bin/deed')).toEqual([]);
    expect(list('deed')).toEqual([]);
  });

  it('are the executable and its other names, never their folder', () => {
    expect(list(at('deed'))).toEqual([at('deed'), at('vybe'), at('pt')]);
    expect(list(at('packages/deed'))).toEqual([at('packages/deed'), at('packages/vybe')]);
    expect(list(at('alone/deed'))).toEqual([at('alone/deed')]);
  });
});
