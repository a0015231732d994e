import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { executable, ROOT } from '../fixtures/run-deed.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

/** The pages for beginners are run as they stand: every `sh` block in order, in one shell, and each `# → text` must be said. */
const FOLDER = join(ROOT, 'docs/quickstart');
const place = temporaryFolder('quickstart');
afterAll(() => place.dispose());

const bin = join(place.path, 'bin');
mkdirSync(bin);
for (const name of ['deed', 'vybe', 'pt', 'ai-agent'] as const) {
  const words = executable(name).map((word) => `'${word}'`);
  writeFileSync(join(bin, name), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`);
  chmodSync(join(bin, name), 0o755);
}

it.each(readdirSync(FOLDER))('docs/quickstart/%s does what it says', (page) => {
  const text = readFileSync(join(FOLDER, page), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gmu)].map(([, block]) => block ?? '');
  expect(blocks.length).toBeGreaterThan(1);
  const folder = join(place.path, page);
  mkdirSync(folder);
  const script = `set -eu\n${blocks.join('\n')}`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
    cwd: folder,
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder },
    encoding: 'utf8',
  });
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  let from = 0;
  for (const [, promised = ''] of script.matchAll(/# → (.+)$/gmu)) {
    const at = stdout.indexOf(promised, from);
    expect(at, `"${promised}" is said, after what came before it, in\n${stdout}`).toBeGreaterThanOrEqual(0);
    from = at + promised.length;
  }
});
