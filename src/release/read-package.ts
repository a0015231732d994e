import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPlainObject } from '../base/json.ts';

/** Reads the version of the package in a folder; undefined when there is no package. */
export function readPackageVersion(packageRoot: string): string | undefined {
  const manifest = readPackageManifest(packageRoot);
  return typeof manifest?.version === 'string' ? manifest.version : undefined;
}

/** Reads the package.json of a folder; undefined when there is none. */
export function readPackageManifest(folder: string): Record<string, unknown> | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return isPlainObject(manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
}
