/**
 * Checks that every package of package-lock.json that this platform may install has an integrity hash, so that a registry or mirror
 * cannot replace it. Run before `npm ci` in the jobs whose output is signed and published.
 */
import { readFileSync } from 'node:fs';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

export interface LockPlatform {
  readonly os: string;
  readonly cpu: string;
  readonly libc: string;
}

/** Lists the packages without a hash that a platform installs. */
export function findUnverified(
  packages: Readonly<Record<string, LockedPackage>>,
  { os, cpu, libc }: LockPlatform,
): string[] {
  const matches = (allowed: readonly string[] | undefined, value: string): boolean =>
    allowed === undefined || allowed.includes(value);
  return Object.entries(packages)
    .filter(([path, entry]) => path !== '' && entry.link !== true && entry.integrity === undefined)
    .filter(([, entry]) => matches(entry.os, os) && matches(entry.cpu, cpu) && matches(entry.libc, libc))
    .map(([path, { version }]) => `${path}@${version}`);
}

if (import.meta.main) {
  const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const found = findUnverified(packages, { os: process.platform, cpu: process.arch, libc: 'glibc' });
  for (const name of found) console.error(`${name} has no integrity in package-lock.json. Run: npm run lock`);
  process.exitCode = found.length === 0 ? 0 : 1;
}
