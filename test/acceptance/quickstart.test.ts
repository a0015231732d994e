import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { executable, ROOT } from '../fixtures/run-deed.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

/** Runs the quickstart pages verbatim: all `sh` blocks in order, in one shell; the output must contain each `# → text`. */
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

it.concurrent.each(readdirSync(FOLDER))('docs/quickstart/%s works as written', async (page) => {
  const text = readFileSync(join(FOLDER, page), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gmu)].map(([, block]) => block ?? '');
  expect(blocks.length).toBeGreaterThan(1);
  const folder = join(place.path, page);
  mkdirSync(folder);
  const script = `set -eu\n${blocks.join('\n')}`;
  // Rejects, with the output, if the script exits with another code than 0.
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    cwd: folder,
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder },
    maxBuffer: 64 * 1024 * 1024,
  });
  let from = 0;
  for (const [, promised = ''] of script.matchAll(/# → (.+)$/gmu)) {
    const at = stdout.indexOf(promised, from);
    expect(at, `"${promised}" follows the previous text in\n${stdout}`).toBeGreaterThanOrEqual(0);
    from = at + promised.length;
  }
});
