import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { findProgram } from '../system/find-program.ts';

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
export function locateDeed({ from, platform, arch, searchPath }: Place): string | undefined {
  const require = createRequire(from);
  const installed = packageFolder(require, `@deed-cli/${platform}-${arch}`);
  const checkout = packageFolder(require, 'deed-cli');
  const folders = [
    ...(installed === undefined ? [] : [join(installed, 'bin')]),
    ...(checkout === undefined ? [] : [join(checkout, 'dist/bin'), join(checkout, 'dist/standalone')]),
  ];
  return (
    folders.map((folder) => findProgram('deed', folder)).find(Boolean) ?? findProgram('deed', searchPath)
  );
}

function packageFolder(require: NodeJS.Require, name: string): string | undefined {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}
