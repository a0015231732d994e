/** Builds the executables and the library for Node into dist/. */
import { chmodSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { build, type BuildOptions } from 'esbuild';
import { buildConstants, ROOT } from './build-constants.ts';

const BINS = ['deed', 'vybe', 'pt', 'ai-agent'];

const common: BuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  splitting: true,
  minifySyntax: true,
  minifyWhitespace: true,
  chunkNames: '../chunks/[name]-[hash]',
  logLevel: 'warning',
  legalComments: 'none',
  define: buildConstants(),
  // Bundled CommonJS modules ask for `require`, which a module does not have.
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
};

rmSync(`${ROOT}dist/bin`, { recursive: true, force: true });
rmSync(`${ROOT}dist/lib`, { recursive: true, force: true });
rmSync(`${ROOT}dist/chunks`, { recursive: true, force: true });
await build({
  ...common,
  entryPoints: BINS.map((name) => `${ROOT}src/bin/${name}.ts`),
  outdir: `${ROOT}dist/bin`,
});
// The library shares zod with its user, so that schemas of both are the same.
await build({ ...common, entryPoints: [`${ROOT}src/index.ts`], outdir: `${ROOT}dist/lib`, external: ['zod'] });
for (const name of BINS) chmodSync(`${ROOT}dist/bin/${name}.js`, 0o755);
execFileSync(`${ROOT}node_modules/.bin/tsc`, ['-p', `${ROOT}tsconfig.lib.json`], { stdio: 'inherit' });
