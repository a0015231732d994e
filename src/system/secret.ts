import { closeSync, constants, fstatSync, linkSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { damaged } from '../base/damaged.ts';
import { Fault } from '../base/fault.ts';
import { randomHex } from '../base/ids.ts';
import { faultFromSystem, systemCode } from '../base/system-fault.ts';
import { ownUid } from './account.ts';
import { discardFile, syncFolder, writeNewFile } from './durable-file.ts';
import { openFile } from './open-file.ts';
import { uniqueName } from './unique-name.ts';

const SECRET_BYTES = 32;

/** What a caller knows about a secret, for the hint about a damaged one. */
export interface SecretOptions {
  /** What happens if the secret is removed and created again. Without it, the secret must be restored. */
  readonly removal?: string;
  /** How to fix a damaged secret, instead of the usual hint. */
  readonly hint?: string;
}

/** Reads a machine-local secret, or creates it on first use; concurrent processes get the same one. */
export function openSecret(path: string, options: SecretOptions = {}): Uint8Array {
  return readSecret(path, options) ?? createSecret(path, options);
}

/** Reads a secret; undefined when it does not exist. Rejects a secret that is damaged or readable by other users. */
export function readSecret(path: string, options: SecretOptions = {}): Uint8Array | undefined {
  let file: number | undefined;
  try {
    file = openFile(path, constants.O_NOFOLLOW);
    const stats = fstatSync(file);
    if ((stats.mode & 0o077) !== 0) throw unusable(path, 'is readable by other accounts', options);
    if (stats.uid !== ownUid() && stats.uid !== 0)
      throw unusable(path, `belongs to uid ${stats.uid}`, options);
    const secret = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
    if (secret.length !== SECRET_BYTES)
      throw damaged(path, 'it is not 32 bytes in hex', repairHint(path, options));
    return secret;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (systemCode(error) === 'ELOOP') throw unusable(path, 'is a symbolic link', options);
    throw faultFromSystem(error, 'read', path);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function createSecret(path: string, options: SecretOptions): Uint8Array {
  const candidate = `${path}.${uniqueName()}.tmp`;
  try {
    writeNewFile(candidate, `${randomHex(SECRET_BYTES)}\n`, 0o600, true);
    // link, not rename: the second of two processes uses the secret of the first.
    linkSync(candidate, path);
    syncFolder(dirname(path));
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw faultFromSystem(error, 'create', path);
  } finally {
    discardFile(candidate);
  }
  const secret = readSecret(path, options);
  if (secret === undefined) throw unusable(path, 'disappeared', options);
  return secret;
}

function unusable(path: string, problem: string, options: SecretOptions): Fault {
  return new Fault('E_CONFIG', `The secret ${path} ${problem}.`, {
    hint: repairHint(path, options),
    details: { path, problem },
  });
}

function repairHint(path: string, { removal, hint }: SecretOptions): string {
  if (hint !== undefined) return hint;
  return removal === undefined
    ? `Restore ${path} from a backup. Without it, what it signed cannot be verified.`
    : `Remove ${path}; a new one is created on the next use, and ${removal}.`;
}
