import { readFileSync } from 'node:fs';

/** The user id of this process; 0 where the system has no such ids. */
export function ownUid(): number {
  return process.getuid?.() ?? 0;
}

/**
 * Names an account by its uid, as the user database does, or `uid N` where it has no entry, as in many containers. The environment is
 * never asked: `$USER` is whatever a caller wrote there, and the name stands in the audit log.
 */
export function accountName(uid: number, database = '/etc/passwd'): string {
  return nameInFile(uid, database) ?? nameFromDirectory(uid) ?? `uid ${uid}`;
}

function nameInFile(uid: number, path: string): string | undefined {
  try {
    return new RegExp(`^([^:\\n]+):[^:\\n]*:${uid}:`, 'mu').exec(readFileSync(path, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

const ID_PROGRAM = '/usr/bin/id';
const ID_TIMEOUT_MS = 2000;

/** Accounts of a directory service, and all of macOS, are in no file; `id` asks the system for them. */
function nameFromDirectory(uid: number): string | undefined {
  // Loaded here because most accounts are in the file, and every start would pay for it.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { status, stdout } = spawnSync(ID_PROGRAM, ['-un', String(uid)], {
    env: {},
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: ID_TIMEOUT_MS,
  });
  return status === 0 ? stdout.trim() || undefined : undefined;
}
