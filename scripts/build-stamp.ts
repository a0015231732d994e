/** Checks whether dist was built from the current source. `npm run build` ends with this script, which writes the stamp. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './build-constants.ts';

const STAMP = 'dist/built-from';
const OUTPUTS = ['dist/bin/deed', 'dist/lib/contract.js', 'dist/types/index.d.ts'];

export function isBuildCurrent(root = ROOT): boolean {
  const hash = sourceHash(root);
  if (hash === undefined || ![STAMP, ...OUTPUTS].every((path) => existsSync(join(root, path)))) return false;
  return readFileSync(join(root, STAMP), 'utf8') === hash;
}

export function writeBuildStamp(root = ROOT): void {
  writeFileSync(join(root, STAMP), sourceHash(root) ?? '');
}

/** The hash of every file that a build can read; undefined outside a git checkout, where each run builds. */
function sourceHash(root: string): string | undefined {
  const paths = listSource(root);
  if (paths === undefined) return undefined;
  const hash = createHash('sha256').update(process.version);
  for (const path of paths) hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

function listSource(root: string): readonly string[] | undefined {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', ':!test', ':!bench'];
  try {
    const output = execFileSync('git', list, { cwd: root, encoding: 'utf8', stdio: 'pipe' });
    return output.split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
  } catch {
    return undefined;
  }
}

if (import.meta.main) writeBuildStamp();
