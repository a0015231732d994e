import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../base/system-fault.ts';
import { writeNewFile } from '../system/durable-file.ts';
import { assertPrivateFolder, ensurePrivateFolder } from '../system/private-folder.ts';
import { refusedToken, type ParsedToken } from './confirm-token.ts';
import type { Home } from './home.ts';
import { isCleaningDue, isClockSuspect } from './once-a-day.ts';
import type { System } from './system.ts';

/** Kept after a token's expiry, so that a used token stays invalid when the clock is set back. */
const KEEP_AFTER_EXPIRY_MS = 24 * 60 * 60 * 1000;

/**
 * Marks a token as used, across processes: the mark is a file that is created exclusively, so only one of two processes succeeds.
 * Returns a warning when no folder is writable; the write continues then, because a full disk must not block it.
 */
export function consumeToken(token: ParsedToken, home: Home, system: System): string | undefined {
  assertUnused(token, home, system);
  const folders = markFolders(home, system);
  const name = markName(token);
  for (const folder of folders) {
    try {
      ensurePrivateFolder(folder);
      assertPrivateFolder(folder, system.account.euid);
      prune(folder, system.clock.now());
      writeNewFile(join(folder, name), '', 0o600, true);
      return undefined;
    } catch (error) {
      if (systemCode(error) === 'EEXIST') throw alreadyUsed();
    }
  }
  return 'The confirm token could not be marked as used: no folder is writable. A second use of it would not be detected.';
}

/**
 * Rejects a token that was used before. This check precedes all other checks of the token, so that a caller that repeats a call after a
 * timeout is always notified that its write happened.
 */
export function assertUnused(token: ParsedToken, home: Home, system: System): void {
  const name = markName(token);
  if (markFolders(home, system).some((folder) => exists(join(folder, name)))) throw alreadyUsed();
}

function markName(token: ParsedToken): string {
  return `${token.expiresAtMs}-${token.fingerprint}`;
}

/** Where marks are stored: the home, then the user's runtime folder, then a private temporary folder. */
function markFolders(home: Home, system: System): string[] {
  const runtime = system.env.XDG_RUNTIME_DIR;
  const temporary = system.env.TMPDIR || '/tmp';
  return [
    home.at('consumed'),
    ...(runtime ? [join(runtime, 'deed-consumed')] : []),
    join(temporary, `deed-consumed-${system.account.euid}`),
  ];
}

function prune(folder: string, now: number): void {
  if (!isCleaningDue(folder, now) || isClockSuspect(folder, now)) return;
  for (const name of readdirSync(folder)) {
    const expiresAtMs = Number(name.split('-', 1)[0]);
    if (expiresAtMs + KEEP_AFTER_EXPIRY_MS < now) rmSync(join(folder, name), { force: true });
  }
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A folder that cannot be read contains no mark of ours.
    return false;
  }
}

function alreadyUsed(): Error {
  return refusedToken('used', 'The confirm token was already used.');
}
