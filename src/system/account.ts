import { readFileSync } from 'node:fs';

/** The user id of this process; 0 on systems without user ids. */
export function ownUid(): number {
  return process.getuid?.() ?? 0;
}

/**
 * Returns the account name of a uid from the user database, or `uid N` when it has no entry, as in many containers. `$USER` is not
 * used: a caller can set it to anything, and the name is written to the audit log.
 */
export function accountName(uid: number, database = '/etc/passwd'): string {
  return entryOf(uid, database)?.[0] ?? nameFromDirectory(uid) ?? `uid ${uid}`;
}

/** The home folder of an account in the user database; undefined if it has no entry. */
export function homeOf(uid: number, database = '/etc/passwd'): string | undefined {
  return entryOf(uid, database)?.[5] || undefined;
}

/** The fields of the first entry of a uid in the user database, from its name to its home and shell; undefined if it has none, or the file cannot be read. */
function entryOf(uid: number, database: string): readonly string[] | undefined {
  try {
    const entries = readFileSync(database, 'utf8')
      .split('\n')
      .map((line) => line.split(':'));
    return entries.find(([name, , id]) => name !== '' && id === String(uid));
  } catch {
    return undefined;
  }
}

const ID_PROGRAM = '/usr/bin/id';
const ID_TIMEOUT_MS = 2000;

/** Accounts of a directory service, and all accounts of macOS, are not in the file; `id` looks them up. */
function nameFromDirectory(uid: number): string | undefined {
  // Loaded on demand: most accounts are in the file, and the import would slow every start.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { status, stdout } = spawnSync(ID_PROGRAM, ['-un', String(uid)], {
    env: {},
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: ID_TIMEOUT_MS,
  });
  return status === 0 ? stdout.trim() || undefined : undefined;
}
