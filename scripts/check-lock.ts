/**
 * Checks that every package of package-lock.json has an integrity hash, so that a registry or mirror cannot replace it on any platform.
 * Run after every change of dependencies, and before `npm ci` in the jobs whose output is signed and published.
 */
import { readFileSync } from 'node:fs';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  /** A folder of this repository. */
  readonly link?: boolean;
  /** Part of the archive of the package around it, which has a hash. */
  readonly inBundle?: boolean;
}

/** Lists the packages that npm would fetch without comparing a hash. */
export function findUnverified(packages: Readonly<Record<string, LockedPackage>>): string[] {
  return Object.entries(packages)
    .filter(([path, { link, inBundle }]) => path !== '' && link !== true && inBundle !== true)
    .filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))
    .map(([path, { version }]) => `${path}@${version}`);
}

if (import.meta.main) {
  const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const found = findUnverified(packages);
  for (const name of found)
    console.error(
      `${name} has no sha512 integrity in package-lock.json. Use a version that the registry has for every platform.`,
    );
  process.exitCode = found.length === 0 ? 0 : 1;
}
