import { readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Matches the module name in `import … from 'x'`, `export … from 'x'`, `import 'x'` and `import('x')`. */
const MODULE_NAME = /\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/gu;

/**
 * Deletes the declaration files that no entry imports. The compiler writes one for every module of the program; users of the libraries need
 * only those that the public types refer to.
 */
export function pruneTypes(folder: string, entries: readonly string[]): void {
  const reached = reachedFrom(entries.map((entry) => resolve(entry)));
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const file of files.filter((entry) => entry.isFile())) {
    const path = resolve(file.parentPath, file.name);
    if (!reached.has(path)) rmSync(path);
  }
  removeEmptyFolders(folder);
}

function reachedFrom(entries: readonly string[]): ReadonlySet<string> {
  // A set is iterated in the order of insertion, including values that are added meanwhile.
  const reached = new Set(entries);
  for (const path of reached) {
    for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(MODULE_NAME))
      if (name.startsWith('.')) reached.add(resolve(dirname(path), name).replace(/\.[jt]s$/u, '.d.ts'));
  }
  return reached;
}

function removeEmptyFolders(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }).filter((item) => item.isDirectory())) {
    const path = join(folder, entry.name);
    removeEmptyFolders(path);
    if (readdirSync(path).length === 0) rmdirSync(path);
  }
}
