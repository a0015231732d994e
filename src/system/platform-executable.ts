import { createRequire } from 'node:module';

/** Returns the names of the npm packages with the executable for a platform; on Linux there is one for each C library. */
export function platformPackages(platform: string, arch: string): readonly [string, ...string[]] {
  const name = `@deed-cli/${platform}-${arch}`;
  return platform === 'linux' ? [name, `${name}-musl`] : [name];
}

/** Finds the executable of the platform package that was installed with the package of a file; undefined when there is none. */
export function findPlatformExecutable(file: string): string | undefined {
  const { resolve } = createRequire(file);
  const found = platformPackages(process.platform, process.arch).flatMap((name) => {
    try {
      return [resolve(`${name}/bin/deed`)];
    } catch {
      return [];
    }
  });
  // A package manager without support for the field `libc` installs both; the second one is for musl.
  return found.length > 1 && !runsOnGlibc() ? found[1] : found[0];
}

function runsOnGlibc(): boolean {
  const { header } = process.report.getReport() as {
    readonly header: { readonly glibcVersionRuntime?: string };
  };
  return header.glibcVersionRuntime !== undefined;
}
