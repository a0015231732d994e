import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { findProgram } from '../system/find-program.ts';
import { runsOnGlibc } from '../system/runs-on-glibc.ts';

interface Place {
  /** The address of a module of the library, from which packages are resolved. */
  readonly from: string;
  readonly platform: string;
  readonly arch: string;
  readonly searchPath: string;
}

/**
 * Finds the executable of deed for a program that uses the library: in the package that npm installed for this platform, in the checkout
 * that the library was built in, or on the PATH. The first two have the version of the library.
 */
export function locateDeed(place: Place): string | undefined {
  const { resolve } = createRequire(place.from);
  return (
    fromPlatformPackage(resolve, place) ?? fromCheckout(resolve) ?? findProgram('deed', place.searchPath)
  );
}

type Resolve = (name: string) => string;

function fromPlatformPackage(resolve: Resolve, { platform, arch }: Place): string | undefined {
  const name = `@deed-cli/${platform}-${arch}`;
  const names = platform === 'linux' ? [name, `${name}-musl`] : [name];
  const found = names.flatMap((each) => programOf(packageFolder(resolve, each), 'bin') ?? []);
  // A package manager that does not know the field `libc` installs both packages.
  return found.length > 1 && !runsOnGlibc() ? found[1] : found[0];
}

function fromCheckout(resolve: Resolve): string | undefined {
  const folder = packageFolder(resolve, 'deed-cli');
  // In the package on npm the same place has a launcher, which itself needs the platform package.
  if (folder === undefined || existsSync(join(folder, 'dist/launcher'))) return undefined;
  return programOf(folder, 'dist/bin') ?? programOf(folder, 'dist/standalone');
}

function programOf(folder: string | undefined, below: string): string | undefined {
  return folder === undefined ? undefined : findProgram('deed', join(folder, below));
}

function packageFolder(resolve: Resolve, name: string): string | undefined {
  try {
    return dirname(resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}
