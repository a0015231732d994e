import { sign, verify, type KeyObject } from 'node:crypto';
import { isPlainObject } from '../../base/json.ts';

/** A signed document: DSSE v1, one signature. */
export interface Envelope {
  readonly payload: string;
  readonly payloadType: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

export const IN_TOTO = 'application/vnd.in-toto+json';

/** Signs a payload together with its type. */
export function signEnvelope(
  payload: string,
  key: { readonly privateKey: KeyObject; readonly keyId: string },
  type = IN_TOTO,
): Envelope {
  const bytes = Buffer.from(payload);
  const signature = sign(null, preAuthEncoding(type, bytes), key.privateKey);
  return {
    payload: bytes.toString('base64'),
    payloadType: type,
    signatures: [{ keyid: key.keyId, sig: signature.toString('base64') }],
  };
}

/** Returns the payload of an envelope with a valid signature by one of the keys, otherwise undefined. Accepts only canonical base64. */
export function openEnvelope(
  value: unknown,
  keys: readonly { readonly publicKey: KeyObject; readonly keyId: string }[],
  type = IN_TOTO,
): string | undefined {
  if (!isPlainObject(value) || value.payloadType !== type || !Array.isArray(value.signatures))
    return undefined;
  const payload = decode(value.payload);
  const [signature, ...more] = value.signatures as unknown[];
  if (payload === undefined || more.length > 0 || !isPlainObject(signature)) return undefined;
  const bytes = decode(signature.sig);
  const key = keys.find(({ keyId }) => keyId === signature.keyid);
  if (key === undefined || bytes === undefined) return undefined;
  return verify(null, preAuthEncoding(type, payload), key.publicKey, bytes)
    ? payload.toString('utf8')
    : undefined;
}

/** PAE of DSSE: prefixes lengths, so that no two pairs of type and body have the same encoding. */
function preAuthEncoding(type: string, body: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${body.length} `;
  return Buffer.concat([Buffer.from(head), body]);
}

function decode(text: unknown): Buffer | undefined {
  if (typeof text !== 'string') return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
