import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { findProgram } from '../system/find-program.ts';
import { findPlatformExecutable } from '../system/platform-executable.ts';

/**
 * Finds the executable of deed for a program that uses the library: in the npm package for this platform, in the checkout where the
 * library was built, or in PATH. The first two have the version of the library. Packages are resolved relative to `module`, the
 * URL of a module of the library.
 */
export function locateDeed(module: string, searchPath: string): string | undefined {
  return findPlatformExecutable(module) ?? fromCheckout(module) ?? findProgram('deed', searchPath);
}

function fromCheckout(module: string): string | undefined {
  const folder = packageFolder(module);
  // In the npm package this path is a launcher, which itself needs the platform package.
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
