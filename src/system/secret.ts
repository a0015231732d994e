import { closeSync, constants, fstatSync, linkSync, openSync, readFileSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { randomHex } from '../base/ids.ts';
import { faultFromSystem, systemCode } from '../base/system-fault.ts';
import { ownUid } from './account.ts';
import { discardFile, writeNewFile } from './durable-file.ts';
import { uniqueName } from './unique-name.ts';

const SECRET_BYTES = 32;

/** Reads a machine-local secret, or creates it on first use; concurrent processes get the same one. */
export function openSecret(path: string): Uint8Array {
  return readSecret(path) ?? createSecret(path);
}

/** Reads a secret; undefined when it does not exist. Rejects one that is damaged or readable by other users. */
export function readSecret(path: string): Uint8Array | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    const stats = fstatSync(file);
    if ((stats.mode & 0o077) !== 0) throw unusable(path, 'is readable by other accounts');
    if (stats.uid !== ownUid() && stats.uid !== 0) throw unusable(path, `belongs to uid ${stats.uid}`);
    const secret = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
    if (secret.length !== SECRET_BYTES) throw unusable(path, 'is damaged');
    return secret;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (systemCode(error) === 'ELOOP') throw unusable(path, 'is a symbolic link');
    throw faultFromSystem(error, 'read', path);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function createSecret(path: string): Uint8Array {
  const candidate = `${path}.${uniqueName()}.tmp`;
  try {
    writeNewFile(candidate, `${randomHex(SECRET_BYTES)}\n`, 0o600, true);
    // link, not rename: the second of two processes uses the secret of the first.
    linkSync(candidate, path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw faultFromSystem(error, 'create', path);
  } finally {
    discardFile(candidate);
  }
  const secret = readSecret(path);
  if (secret === undefined) throw unusable(path, 'disappeared');
  return secret;
}

function unusable(path: string, problem: string): Fault {
  return new Fault('E_CONFIG', `The secret ${path} ${problem}.`, {
    hint: `Remove ${path}; a new one is created on the next use, and existing tokens become invalid.`,
    details: { path, problem },
  });
}
