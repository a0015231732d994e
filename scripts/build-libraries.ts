/** Builds the libraries for Node into dist/lib and their types into dist/types. */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { relative } from 'node:path';
import { rolldown, type OutputChunk } from 'rolldown';
import { buildConstants, ROOT } from './build-constants.ts';
import { pruneTypes } from './prune-types.ts';
import { renderLicences } from './third-party-licences.ts';

const LIBRARIES = {
  contract: 'src/index.ts',
  conformance: 'src/conformance/index.ts',
  agent: 'src/agent/index.ts',
  work: 'src/work-library.ts',
  triage: 'src/triage/triage.ts',
};

const { dependencies: DEPENDENCIES } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

const chunks = await bundleLibraries(`${ROOT}dist/lib`);
assertImportsInstalled(chunks);
writeFileSync(
  `${ROOT}dist/lib/THIRD_PARTY_LICENCES.txt`,
  renderLicences(chunks.flatMap(({ moduleIds }) => moduleIds)),
);

// The source modules of each file, for the test of what an import loads.
const modules = chunks.map(({ fileName, moduleIds }) => [
  fileName,
  moduleIds.map((id) => relative(ROOT, id)),
]);
writeFileSync(
  `${ROOT}dist/library-modules.json`,
  `${JSON.stringify(Object.fromEntries(modules), null, 2)}\n`,
);

rmSync(`${ROOT}dist/types`, { recursive: true, force: true });
execFileSync(`${ROOT}node_modules/.bin/tsc`, ['-p', `${ROOT}tsconfig.lib.json`], { stdio: 'inherit' });
const declarations = Object.values(LIBRARIES).map((path) =>
  path.replace(/^src\/(.+)\.ts$/u, `${ROOT}dist/types/$1.d.ts`),
);
pruneTypes(`${ROOT}dist/types`, declarations);

/**
 * Bundles the libraries in one build, so that shared code is shipped once and a class such as Fault is the same in all of them. Chunk
 * groups are not used: an import must load only the code of its library.
 */
async function bundleLibraries(folder: string): Promise<readonly OutputChunk[]> {
  const build = await rolldown({
    cwd: ROOT,
    platform: 'node',
    input: { ...LIBRARIES },
    external: externalPackages(),
    transform: { target: 'node22.13', define: buildConstants() },
  });
  try {
    const { output } = await build.write({
      dir: folder,
      cleanDir: true,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'shared/[name]-[hash].js',
      minify: true,
      comments: false,
    });
    return output.filter((file) => file.type === 'chunk');
  } finally {
    await build.close();
  }
}

/**
 * Packages that are not bundled: native code, and the converter of zod for users of zod. valibot is bundled, which removes unused code; it is
 * a dependency anyway, for the type declarations.
 */
function externalPackages(): RegExp[] {
  return [/^koffi$/u, /^zod\/v4\/core$/u];
}

/** Throws if the bundle imports a package that npm does not install with it. */
function assertImportsInstalled(built: readonly OutputChunk[]): void {
  const files = new Set(built.map(({ fileName }) => fileName));
  const imported = built.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
  const missing = imported.filter((name) => {
    const [packageName = ''] = /^(?:@[^/]+\/)?[^/]+/u.exec(name) ?? [];
    // The modules of Bun are imported only by the executables.
    return (
      !files.has(name) &&
      !isBuiltin(name) &&
      !name.startsWith('bun:') &&
      !(packageName in DEPENDENCIES) &&
      name !== 'zod/v4/core'
    );
  });
  if (missing.length > 0)
    throw new Error(`The libraries import packages that are not dependencies: ${missing.join(', ')}`);
}
