import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../scripts/build-constants.ts';
import type { Situation } from './situation.ts';

export const CACHE = process.env.SITUATIONS_CACHE ?? join(ROOT, '.cache/situations');

/** The search path of the situations: what install.sh installed, this Node, and the system. */
export const SEARCH_PATH = [
  join(CACHE, 'node_modules/.bin'),
  join(CACHE, 'venv/bin'),
  dirname(process.execPath),
  ...postgresFolders(),
  ...(process.env.PATH ?? '').split(':').filter((folder) => !folder.startsWith(ROOT)),
  '/usr/local/sbin',
  '/usr/sbin',
  '/sbin',
].join(':');

/** Returns the programs that a situation needs and this machine does not have. */
export function missingPrograms({ needs = [], stage }: Situation): readonly string[] {
  const terminal = stage === 'terminal' || stage === 'hangup' ? ['script'] : [];
  return [...terminal, ...needs].filter((name) => !isInstalled(name));
}

function isInstalled(name: string): boolean {
  return SEARCH_PATH.split(':').some((folder) => existsSync(join(folder, name)));
}

/** Debian keeps the programs of PostgreSQL in a folder per version. */
function postgresFolders(): readonly string[] {
  const root = '/usr/lib/postgresql';
  return existsSync(root) ? readdirSync(root).map((version) => join(root, version, 'bin')) : [];
}
