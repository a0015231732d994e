import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, it } from 'vitest';
import { checkStory, storyScript } from '../fixtures/readme-story.ts';
import { createHome, executable } from '../fixtures/run-deed.ts';
import { vybeEnvironment } from '../fixtures/run-vybe.ts';

const home = createHome();
afterAll(() => home.dispose());

it('the commands of the README have the documented results', () => {
  const bin = join(home.path, 'bin');
  mkdirSync(bin);
  const program = executable('vybe').map((word) => `'${word}'`);
  writeFileSync(join(bin, 'vybe'), `#!/bin/sh\nexec ${program.join(' ')} "$@"\n`, { mode: 0o755 });
  const environment = vybeEnvironment({ home: home.path });
  checkStory(
    spawnSync('bash', ['-c', storyScript()], {
      env: { ...environment, PATH: `${bin}:${environment.PATH}` },
      encoding: 'utf8',
    }),
  );
});
