import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { executable, ROOT } from '../fixtures/run-deed.ts';
import { scriptedClaude } from '../fixtures/scripted-claude.ts';
import { LONG } from '../fixtures/start-node.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

/** Runs pages verbatim: all `sh` blocks in order, in one shell; the output must contain each `# → text`. The guides run in the long suite. */
const MORE_PAGES = [
  ...['quickstart', 'how-to'].flatMap((folder) =>
    readdirSync(join(ROOT, 'docs', folder)).map((page) => `${folder}/${page}`),
  ),
  'moving-from-beads.md',
  'moving-from-worktrees.md',
];
const PAGES = new Set([
  'quickstart/continuity.md',
  'quickstart/work.md',
  'setup.md',
  ...(LONG ? MORE_PAGES : []),
]);
const place = temporaryFolder('quickstart');
afterAll(() => place.dispose());

const bin = join(place.path, 'bin');
mkdirSync(bin);
for (const name of ['deed', 'vybe', 'pt', 'ai-agent'] as const) {
  const words = executable(name).map((word) => `'${word}'`);
  writeFileSync(join(bin, name), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`);
  chmodSync(join(bin, name), 0o755);
}

/** The agent of the pages, in the home, where people have it: it puts coffee on the menu. */
function installClaude(home: string): string {
  const folder = join(home, '.local/bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'claude'), scriptedClaude(['echo coffee >> menu.txt']), { mode: 0o755 });
  return folder;
}

it.concurrent.each([...PAGES])('docs/%s works as written', async (page) => {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gmu)].map(([, block]) => block ?? '');
  expect(blocks.length).toBeGreaterThan(0);
  const folder = join(place.path, page);
  mkdirSync(folder, { recursive: true });
  const script = `set -eu\n${blocks.join('\n')}`;
  // Rejects, with the output, if the script exits with another code than 0.
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    cwd: folder,
    env: {
      PATH: `${bin}:${installClaude(folder)}:${process.env.PATH}`,
      HOME: folder,
      ANTHROPIC_API_KEY: 'a-key-for-tests',
    },
    maxBuffer: 64 * 1024 * 1024,
  });
  let from = 0;
  for (const [, promised = ''] of script.matchAll(/# → (.+)$/gmu)) {
    const at = stdout.indexOf(promised, from);
    expect(at, `"${promised}" follows the previous text in\n${stdout}`).toBeGreaterThanOrEqual(0);
    from = at + promised.length;
  }
});
