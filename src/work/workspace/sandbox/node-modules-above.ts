import { lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Lists the folders in which Node looks for the packages that a program in node_modules needs: those around it and above. */
export function nodeModulesAbove(program: string): readonly string[] {
  if (!program.includes('/node_modules/')) return [];
  const found: string[] = [];
  for (let folder = dirname(program); folder !== dirname(folder); folder = dirname(folder))
    found.push(basename(folder) === 'node_modules' ? folder : join(folder, 'node_modules'));
  return [...new Set(found)].filter(
    (folder) => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true,
  );
}
