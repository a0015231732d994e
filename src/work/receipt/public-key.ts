import { createPublicKey, type KeyObject } from 'node:crypto';
import { keyIdOf, type VerifyingKey } from './signing-key.ts';

/** One PEM block with a public key. Other blocks are rejected: node would derive a public key from a private key or a certificate. */
const PEM = /^\s*-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----\s*$/u;

/** An Ed25519 key in PEM has 113 bytes. */
export const MAX_KEY_BYTES = 16 * 1024;

/** Parses an Ed25519 public key in PEM; undefined if it is something else. */
export function parsePublicKey(pem: string): VerifyingKey | undefined {
  if (!PEM.test(pem)) return undefined;
  let publicKey: KeyObject;
  try {
    publicKey = createPublicKey(pem);
  } catch {
    return undefined;
  }
  if (publicKey.asymmetricKeyType !== 'ed25519') return undefined;
  return { publicKey, keyId: keyIdOf(publicKey), pem };
}
