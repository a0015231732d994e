import { join } from 'node:path';
import { equalInConstantTime, hmacSha256 } from '../../system/digest.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { openSecret, readSecret } from '../../system/secret.ts';

const MARK_OPTIONS = { removal: 'processes of earlier runs are no longer recognised by their marks' };

/** The mark for the environment of a run's processes; its key is in the home, which no run can read. */
export function markOf(home: string, runId: string): string {
  ensurePrivateFolder(join(home, 'keys'));
  return render(openSecret(keyPath(home), MARK_OPTIONS), runId);
}

/** Throws E_DAMAGED with the fix if the key of the marks cannot be used. */
export function checkMarkKey(home: string): void {
  readSecret(keyPath(home), MARK_OPTIONS);
}

/** Checks a mark that was found in the environment of a process. Contract: both texts are untrusted; does not throw. */
export function isMarkOf(home: string, runId: string, mark: string): boolean {
  try {
    const key = readSecret(keyPath(home));
    return key !== undefined && equalInConstantTime(render(key, runId), mark);
  } catch {
    return false;
  }
}

function render(key: Uint8Array, runId: string): string {
  return hmacSha256(key, `run ${runId}`);
}

function keyPath(home: string): string {
  return join(home, 'keys', 'marks.key');
}
