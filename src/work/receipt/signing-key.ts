import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../base/digest.ts';
import { Fault } from '../../base/fault.ts';
import { discardFile, readFileIfPresent, writeNewFile } from '../../system/durable-file.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { systemCode } from '../../base/system-fault.ts';
import { uniqueName } from '../../system/unique-name.ts';
import { linkSync } from 'node:fs';

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

const PRIVATE = 'receipts.key.pem';
const PUBLIC = 'receipts.pub.pem';

/** Opens the signing key; the first call creates it. If two processes create it at the same time, both use the same key. */
export function openSigningKey(folder: string): SigningKey {
  ensurePrivateFolder(folder);
  const path = join(folder, PRIVATE);
  if (!existsSync(path)) createKey(path);
  const text = readFileIfPresent(path) ?? '';
  const privateKey = readKey(path, () => createPrivateKey(text));
  const publicKey = createPublicKey(privateKey);
  const publicPath = join(folder, PUBLIC);
  if (!existsSync(publicPath)) writeOnce(publicPath, exportPem(publicKey), 0o644);
  return { privateKey, publicKey, keyId: keyIdOf(publicKey) };
}

/** Reads the public key; undefined if no receipt was ever signed. */
export function readVerifyingKey(folder: string): VerifyingKey | undefined {
  const path = join(folder, PUBLIC);
  const pem = readFileIfPresent(path);
  if (pem === undefined) return undefined;
  const publicKey = readKey(path, () => createPublicKey(pem));
  return { publicKey, keyId: keyIdOf(publicKey), pem };
}

function createKey(path: string): void {
  const { privateKey } = generateKeyPairSync('ed25519');
  writeOnce(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), 0o600);
}

/** Writes a complete file atomically unless it exists. */
function writeOnce(path: string, content: string, mode: number): void {
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

function exportPem(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString();
}

function keyIdOf(key: KeyObject): string {
  return sha256(new Uint8Array(key.export({ type: 'spki', format: 'der' })));
}

function readKey(path: string, read: () => KeyObject): KeyObject {
  try {
    const key = read();
    if (key.asymmetricKeyType === 'ed25519') return key;
    throw new Error(`it is a key of type ${key.asymmetricKeyType}`);
  } catch (error) {
    throw new Fault('E_DAMAGED', `${path} is not an Ed25519 key.`, {
      hint: 'Restore it from a backup. Receipts signed with it cannot be verified without it.',
      details: { path },
      cause: error,
    });
  }
}
