import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { findProgram } from '../system/find-program.ts';
import { findPlatformExecutable } from '../system/platform-executable.ts';

/**
 * Finds the executable of deed for a program that uses the library: in the package that npm installed for this platform, in the checkout
 * that the library was built in, or on the PATH. The first two have the version of the library. Packages are resolved from a module
 * of the library, by its address.
 */
export function locateDeed(module: string, searchPath: string): string | undefined {
  return findPlatformExecutable(module) ?? fromCheckout(module) ?? findProgram('deed', searchPath);
}

function fromCheckout(module: string): string | undefined {
  const folder = packageFolder(module);
  // In the package on npm the same place has a launcher, which itself needs the platform package.
  if (folder === undefined || existsSync(join(folder, 'dist/launcher'))) return undefined;
  return findProgram('deed', join(folder, 'dist/bin'));
}

function packageFolder(module: string): string | undefined {
  try {
    return dirname(createRequire(module).resolve('deed-cli/package.json'));
  } catch {
    return undefined;
  }
}
