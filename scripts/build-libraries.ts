/** Builds the libraries for Node and their types into dist/lib and dist/types. */
import { execFileSync } from 'node:child_process';
import { ROOT } from './build-constants.ts';
import { bundle } from './bundle.ts';

// The libraries share zod with their user, so that schemas of both are the same. Each is a folder of its own: whoever uses one loads
// nothing of the others.
const LIBRARIES = {
  'dist/lib': { index: 'src/index.ts' },
  'dist/lib/agent': { agent: 'src/agent/index.ts' },
  'dist/lib/triage': { triage: 'src/triage/triage.ts' },
  'dist/lib/work': { work: 'src/work-library.ts' },
};
for (const [folder, entries] of Object.entries(LIBRARIES))
  await bundle({ entries, folder: `${ROOT}${folder}`, format: 'esm', external: [/^zod(?:\/|$)/u] });
execFileSync(`${ROOT}node_modules/.bin/tsc`, ['-p', `${ROOT}tsconfig.lib.json`], { stdio: 'inherit' });
