import { mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/**
 * Keeps the compiled form of the program beside the program, so that only the first start has to compile it. It lies there and not
 * in the home or among temporary files because it is code: whoever may write it may write the program as well. Where nobody may,
 * every start compiles.
 */
const folder = join(import.meta.dirname, '../cache');
try {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  enableCompileCache(folder);
} catch {
  // The installation is not ours to write.
}
