import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './build-constants.ts';
import type { Platform } from './platforms.ts';

interface LockedPackage {
  readonly version: string;
  readonly integrity: string;
}

/**
 * Returns the path of the bun executable of a platform, from the npm package with the version and integrity of the lock file. The download
 * is cached in .cache.
 */
export function fetchRuntime({ bunPackage }: Platform): string {
  const { version, integrity } = lockedPackage(bunPackage);
  const folder = join(ROOT, '.cache/bun', `${bunPackage.replace('/', '-')}-${version}`);
  const runtime = join(folder, 'package/bin/bun');
  if (existsSync(runtime)) return runtime;
  mkdirSync(join(ROOT, '.cache/bun'), { recursive: true });
  const download = mkdtempSync(join(ROOT, '.cache/bun/download-'));
  try {
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', `${bunPackage}@${version}`, '--json', '--pack-destination', download], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    ) as [{ readonly filename: string }];
    const archive = join(download, packed.filename.replace('@', '').replace('/', '-'));
    const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
    if (found !== integrity)
      throw new Error(`${bunPackage}@${version} has the integrity ${found}; the lock file has ${integrity}.`);
    execFileSync('tar', ['-xzf', archive, '-C', download]);
    rmSync(archive);
    rmSync(folder, { recursive: true, force: true });
    renameSync(download, folder);
    return runtime;
  } finally {
    rmSync(download, { recursive: true, force: true });
  }
}

function lockedPackage(name: string): LockedPackage {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const found = packages[`node_modules/${name}`];
  if (found === undefined) throw new Error(`The lock file has no ${name}. Run: npm run lock.`);
  return found;
}
