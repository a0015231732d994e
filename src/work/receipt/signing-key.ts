import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, linkSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { damaged } from '../../base/damaged.ts';
import { sha256 } from '../../system/digest.ts';
import { discardFile, writeNewFile } from '../../system/durable-file.ts';
import { readOwnText } from '../../system/own-file.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { systemCode } from '../../base/system-fault.ts';
import { uniqueName } from '../../system/unique-name.ts';

/** The key that signs receipts; one per home. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** SHA-256 of the public key in DER. */
  readonly keyId: string;
}

export interface VerifyingKey {
  readonly publicKey: KeyObject;
  readonly keyId: string;
  readonly pem: string;
}

export const PRIVATE_KEY = 'receipts.key.pem';
export const PUBLIC_KEY = 'receipts.pub.pem';
export const RECEIPT_HEAD = 'receipts.head.json';
/** Public keys whose private key was lost; receipts that they signed stay valid. */
const RETIRED = /^receipts\.retired-[0-9a-f]{16}\.pub\.pem$/u;

export const KEY_HINT =
  'Restore it from a backup of the home, or run "deed work recover --dry-run": it restores the public key from the private one, or starts a new key and keeps the old public key for the receipts that it signed.';

/**
 * Opens the signing key; the first call creates it. If two processes create it at the same time, both use the same key. A private key
 * that does not belong to the public one would sign receipts that no one can verify, so it is E_DAMAGED.
 */
export function openSigningKey(folder: string): SigningKey {
  ensurePrivateFolder(folder);
  const [path, publicPath] = [join(folder, PRIVATE_KEY), join(folder, PUBLIC_KEY)];
  const isFirst = !existsSync(join(folder, RECEIPT_HEAD)) && !existsSync(publicPath);
  if (isFirst && !existsSync(path)) createKey(path);
  const key = readSigningKey(folder);
  if (key === undefined) throw damaged(path, 'it is missing', KEY_HINT);
  if (isFirst) writeFileOnce(publicPath, exportPem(key.publicKey), 0o644);
  const known = readVerifyingKey(folder);
  if (known === undefined) throw damaged(publicPath, 'it is missing', KEY_HINT);
  if (known.keyId !== key.keyId) throw damaged(path, `it does not belong to ${PUBLIC_KEY}`, KEY_HINT);
  return key;
}

/** Reads the private key; undefined if it does not exist. */
export function readSigningKey(folder: string): SigningKey | undefined {
  const path = join(folder, PRIVATE_KEY);
  const text = readOwnText(path, { hint: KEY_HINT });
  if (text === undefined) return undefined;
  const privateKey = readKey(path, () => createPrivateKey(text));
  const publicKey = createPublicKey(privateKey);
  return { privateKey, publicKey, keyId: keyIdOf(publicKey) };
}

/** Reads the public key; undefined if no receipt was ever signed. */
export function readVerifyingKey(folder: string, name = PUBLIC_KEY): VerifyingKey | undefined {
  const path = join(folder, name);
  const pem = readOwnText(path, { hint: KEY_HINT });
  if (pem === undefined) return undefined;
  const publicKey = readKey(path, () => createPublicKey(pem));
  return { publicKey, keyId: keyIdOf(publicKey), pem };
}

/** Reads the public key, and the public keys of earlier private keys. */
export function readVerifyingKeys(folder: string): readonly VerifyingKey[] {
  const retired = existsSync(folder) ? readdirSync(folder).filter((name) => RETIRED.test(name)) : [];
  return [PUBLIC_KEY, ...retired].flatMap((name) => readVerifyingKey(folder, name) ?? []);
}

export function retiredKeyName(keyId: string): string {
  return `receipts.retired-${keyId.slice(0, 16)}.pub.pem`;
}

export function createKey(path: string): void {
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileOnce(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), 0o600);
}

/** Writes a complete file atomically unless it exists. */
export function writeFileOnce(path: string, content: string, mode: number): void {
  const temporary = `${path}.${uniqueName()}.tmp`;
  try {
    writeNewFile(temporary, content, mode, true);
    linkSync(temporary, path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  } finally {
    discardFile(temporary);
  }
}

export function exportPem(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString();
}

export function keyIdOf(key: KeyObject): string {
  return sha256(new Uint8Array(key.export({ type: 'spki', format: 'der' })));
}

function readKey(path: string, read: () => KeyObject): KeyObject {
  try {
    const key = read();
    if (key.asymmetricKeyType === 'ed25519') return key;
    throw new Error(`it is a key of type ${key.asymmetricKeyType}`);
  } catch (error) {
    throw damaged(path, 'it is not an Ed25519 key', KEY_HINT, error);
  }
}
