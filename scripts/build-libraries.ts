/** Builds the libraries for Node and their types into dist/lib and dist/types. */
import { execFileSync } from 'node:child_process';
import { ROOT } from './build-constants.ts';
import { bundle } from './bundle.ts';

// Each library is a folder of its own, so that importing one loads nothing of the others.
const LIBRARIES = {
  'dist/lib': { index: 'src/index.ts' },
  'dist/lib/agent': { agent: 'src/agent/index.ts' },
  'dist/lib/triage': { triage: 'src/triage/triage.ts' },
  'dist/lib/work': { work: 'src/work-library.ts' },
};
// Loaded from the packages that are installed: valibot, and the converter of zod for a user who has zod. The zod that other packages
// bring is bundled with them.
const EXTERNAL = [/^(?:valibot|@valibot\/.+|zod\/v4\/core)$/u];
for (const [folder, entries] of Object.entries(LIBRARIES))
  await bundle({ entries, folder: `${ROOT}${folder}`, format: 'esm', external: EXTERNAL });
execFileSync(`${ROOT}node_modules/.bin/tsc`, ['-p', `${ROOT}tsconfig.lib.json`], { stdio: 'inherit' });
