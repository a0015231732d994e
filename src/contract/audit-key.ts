import { join } from 'node:path';
import { openSecret, readSecret } from '../system/secret.ts';

export const AUDIT_KEY = 'chain.key';

/** Reads the key of a log; undefined if there is none. E_DAMAGED if it is not a key. */
export function readAuditKey(folder: string): Uint8Array | undefined {
  const path = join(folder, AUDIT_KEY);
  return readSecret(path, { hint: auditKeyHint(path) });
}

/** Reads the key of a log, or creates a key for a new log. */
export function openAuditKey(folder: string): Uint8Array {
  const path = join(folder, AUDIT_KEY);
  return openSecret(path, { hint: auditKeyHint(path) });
}

/** Says how to repair a missing or wrong key. */
export function auditKeyHint(path: string): string {
  return `Restore ${path} from a backup. Without one, move the folder "audit" and the file "audit.anchor" of the home aside: a new log begins, and the lines of the old one can be read, but not verified.`;
}
