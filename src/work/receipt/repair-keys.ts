import { lstatSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { unlessDamaged } from '../../base/damaged.ts';
import { uniqueName } from '../../system/unique-name.ts';
import {
  createKey,
  exportPem,
  PRIVATE_KEY,
  PUBLIC_KEY,
  readSigningKey,
  readVerifyingKey,
  retiredKeyName,
  writeFileOnce,
} from './signing-key.ts';

/** One repair of the files behind receipts. */
export interface Repair {
  readonly path: string;
  /** What is wrong and what the repair does. */
  readonly repair: string;
  readonly apply: () => void;
}

/** Tells whether existing receipts were signed with a key. */
export type SignedWith = (key: Parameters<typeof exportPem>[0], keyId: string) => boolean;

/**
 * Plans the repair of a key pair that does not match: existing signatures show which of the two keys is intact. Undefined if the pair
 * is intact, or if neither key is.
 */
export function planKeyRepair(folder: string, signedWith: SignedWith): Repair | undefined {
  const secret = unlessDamaged(() => readSigningKey(folder));
  const known = unlessDamaged(() => readVerifyingKey(folder));
  if (secret?.keyId !== undefined && secret.keyId === known?.keyId) return undefined;
  if (secret !== undefined && signedWith(secret.publicKey, secret.keyId)) {
    const path = join(folder, PUBLIC_KEY);
    return {
      path,
      repair: 'is missing or damaged; it is written again from the private key',
      apply: () => {
        setAside(path);
        writeFileOnce(path, exportPem(secret.publicKey), 0o644);
      },
    };
  }
  if (known === undefined || !signedWith(known.publicKey, known.keyId)) return undefined;
  const path = join(folder, PRIVATE_KEY);
  return {
    path,
    repair:
      'is missing or damaged; a new key signs from now on, and the old public key is kept for earlier receipts',
    apply: () => replaceKey(folder, known.keyId, known.pem),
  };
}

/** Each step can be repeated: a process that is killed in between leaves a pair that the next repair replaces again. */
function replaceKey(folder: string, keyId: string, pem: string): void {
  writeFileOnce(join(folder, retiredKeyName(keyId)), pem, 0o644);
  setAside(join(folder, PRIVATE_KEY));
  createKey(join(folder, PRIVATE_KEY));
  const key = readSigningKey(folder);
  if (key === undefined) throw new Error('the new key disappeared');
  rmSync(join(folder, PUBLIC_KEY), { force: true });
  writeFileOnce(join(folder, PUBLIC_KEY), exportPem(key.publicKey), 0o644);
}

/** Keeps a damaged file, or what is in its place, under another name. */
export function setAside(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    renameSync(path, `${path}.damaged-${uniqueName()}`);
}
