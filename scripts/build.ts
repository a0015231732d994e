/** Builds the executables for Node into dist/. */
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { ROOT } from './build-constants.ts';
import { bundle } from './bundle.ts';
import { renderLicences } from './third-party-licences.ts';

const BINS = ['deed', 'vybe', 'pt', 'ai-agent'];

// CommonJS: Node loads it in less time than modules, which here is most of the time that a command takes.
const chunks = await bundle({
  entries: Object.fromEntries(BINS.map((name) => [name, `src/bin/${name}.ts`])),
  folder: `${ROOT}dist/bin`,
  format: 'cjs',
});
// What starts of an earlier build left: see src/bin/compile-cache.ts.
rmSync(`${ROOT}dist/cache`, { recursive: true, force: true });
for (const name of BINS) chmodSync(`${ROOT}dist/bin/${name}.cjs`, 0o755);

// Which source went into which file, for the test that watches what a start loads.
const modules = chunks.map(({ fileName, moduleIds }) => [
  fileName,
  moduleIds.map((id) => relative(ROOT, id)),
]);
writeFileSync(`${ROOT}dist/modules.json`, `${JSON.stringify(Object.fromEntries(modules), null, 2)}\n`);

const bundled = chunks.flatMap(({ moduleIds }) => moduleIds);
writeFileSync(`${ROOT}dist/bin/THIRD_PARTY_LICENCES.txt`, renderLicences(bundled));
