/** Builds the standalone executable with bun: one file, no Node, started as deed, vybe, pt or ai-agent. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { buildConstants, ROOT } from './build-constants.ts';

export interface StandaloneOptions {
  readonly outfile: string;
  readonly define?: Readonly<Record<string, string>>;
}

/** Compiles the executable. A folder's own bunfig.toml and .env must never run inside it, so loading them is compiled out. */
export function buildStandalone({ outfile, define }: StandaloneOptions): void {
  mkdirSync(dirname(outfile), { recursive: true });
  const constants = Object.entries(buildConstants(define)).flatMap(([name, value]) => ['--define', `${name}=${value}`]);
  execFileSync(
    `${ROOT}node_modules/.bin/bun`,
    [
      'build',
      `${ROOT}src/bin/standalone.ts`,
      '--compile',
      '--bytecode',
      '--format=esm',
      '--minify',
      '--no-compile-autoload-bunfig',
      '--no-compile-autoload-dotenv',
      '--no-compile-autoload-tsconfig',
      '--no-compile-autoload-package-json',
      ...constants,
      '--outfile',
      outfile,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'], cwd: ROOT },
  );
}

if (import.meta.main) {
  const folder = `${ROOT}dist/standalone`;
  buildStandalone({ outfile: `${folder}/deed` });
  for (const name of ['vybe', 'pt', 'ai-agent']) {
    rmSync(`${folder}/${name}`, { force: true });
    symlinkSync('deed', `${folder}/${name}`);
  }
}
