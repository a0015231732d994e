/** Builds the standalone executable with bun: one file, no Node, started as deed, vybe, pt or ai-agent. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './build-constants.ts';
import { bundle } from './bundle.ts';

export interface StandaloneOptions {
  readonly outfile: string;
  readonly define?: Readonly<Record<string, string>>;
}

/** The program, and the heads it may start: they are named too, so that their common part becomes the one chunk of every start. */
export const STANDALONE_ENTRIES = {
  deed: 'src/bin/standalone.ts',
  'deed-head': 'src/heads/cli/deed.ts',
  'vybe-head': 'src/heads/cli/vybe.ts',
  'pt-head': 'src/heads/cli/pt.ts',
  'ai-agent-head': 'src/heads/cli/ai-agent.ts',
};

/** What a folder brings along must never run inside the executable that is started there, so loading it is compiled out. */
const SAFE_FLAGS = [
  '--no-compile-autoload-bunfig',
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-tsconfig',
  '--no-compile-autoload-package-json',
];

/** Bundles the source, so that a start loads few chunks, and compiles the bundle. */
export async function buildStandalone({ outfile, define }: StandaloneOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'deed-build-'));
  try {
    await bundle({
      entries: STANDALONE_ENTRIES,
      folder,
      format: 'esm',
      define: { __DEED_STANDALONE__: 'true', ...define },
    });
    mkdirSync(dirname(outfile), { recursive: true });
    execFileSync(
      `${ROOT}node_modules/.bin/bun`,
      [
        'build',
        'deed.js',
        '--compile',
        '--bytecode',
        '--minify',
        '--format=esm',
        '--splitting',
        '--external=koffi',
        ...SAFE_FLAGS,
        '--outfile',
        outfile,
      ],
      { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const folder = `${ROOT}dist/standalone`;
  await buildStandalone({ outfile: `${folder}/deed` });
  for (const name of ['vybe', 'pt', 'ai-agent']) {
    rmSync(`${folder}/${name}`, { force: true });
    symlinkSync('deed', `${folder}/${name}`);
  }
}
