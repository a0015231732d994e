import { equalInConstantTime, hmacSha256, sha256 } from '../system/digest.ts';
import { isoTime } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { randomHex } from '../base/ids.ts';
import { canonicalJson } from '../base/json.ts';
import { CONFIRM_TOKEN_PREFIX, CONFIRM_TOKEN_TTL_MS } from './generated.ts';

/**
 * A confirm token is `ct_` and 26 bytes in base64url: when it expires (4, seconds since 1970), a nonce (6), and the first 16 bytes of an
 * HMAC over both and the scope. The scope is not in the token, so a token is 38 characters long; the drawback is that a token for another
 * scope cannot be distinguished from a token of another machine.
 */
export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: string;
}

/** A token that has the right form. Nothing in it is proven yet. */
export interface ParsedToken {
  readonly fingerprint: string;
  readonly expiresAtMs: number;
  /** Expiry and nonce, as hex. */
  readonly signedPart: string;
  /** The truncated HMAC, as hex. */
  readonly signature: string;
}

const EXPIRY_BYTES = 4;
const SIGNED_BYTES = 10;
const SIGNATURE_BYTES = 16;
const TOKEN_BYTES = SIGNED_BYTES + SIGNATURE_BYTES;
/** The clock may be set back a little; a token that expires later than this allows is rejected. */
const CLOCK_SKEW_MS = 60_000;
const FORM = /^ct_[A-Za-z0-9_-]{35}$/u;

/** Issues a token for one operation; the scope is everything that must still hold when it is used. */
export function issueToken(scope: unknown, key: Uint8Array, now: number): IssuedToken {
  const expiresAtSeconds = Math.ceil((now + CONFIRM_TOKEN_TTL_MS) / 1000);
  const expiry = Buffer.alloc(EXPIRY_BYTES);
  expiry.writeUInt32BE(expiresAtSeconds);
  const signedPart = expiry.toString('hex') + randomHex(SIGNED_BYTES - EXPIRY_BYTES);
  const bytes = Buffer.from(signedPart + sign(signedPart, scope, key), 'hex');
  return {
    token: CONFIRM_TOKEN_PREFIX + bytes.toString('base64url'),
    expiresAt: isoTime(expiresAtSeconds * 1000),
  };
}

/** Parses a token; throws E_CONFLICT for text that is not a token. */
export function parseToken(token: string): ParsedToken {
  const bytes = Buffer.from(FORM.test(token) ? token.slice(CONFIRM_TOKEN_PREFIX.length) : '', 'base64url');
  // Base64 has several encodings of the same bytes. Only ours is accepted, so that a token has one fingerprint.
  const isCanonical = token === CONFIRM_TOKEN_PREFIX + bytes.toString('base64url');
  if (bytes.length !== TOKEN_BYTES || !isCanonical)
    throw refusedToken('malformed', 'This is not a confirm token.');
  return {
    fingerprint: sha256(token),
    expiresAtMs: bytes.readUInt32BE() * 1000,
    signedPart: bytes.toString('hex', 0, SIGNED_BYTES),
    signature: bytes.toString('hex', SIGNED_BYTES),
  };
}

/** Accepts a token that this machine issued for exactly this scope and that has not expired; throws a conflict otherwise. */
export function verifyToken(token: ParsedToken, scope: unknown, key: Uint8Array, now: number): void {
  const { expiresAtMs, signedPart, signature } = token;
  if (now >= expiresAtMs)
    throw refusedToken('expired', `The confirm token expired at ${isoTime(expiresAtMs)}.`);
  if (expiresAtMs - now > CONFIRM_TOKEN_TTL_MS + CLOCK_SKEW_MS) {
    throw refusedToken(
      'clock',
      'The confirm token is from the future: the clock was set back after the dry run.',
    );
  }
  if (!equalInConstantTime(sign(signedPart, scope, key), signature)) {
    throw refusedToken(
      'changed',
      'The arguments, the caller or the state changed since the dry run, or the confirm token was issued by another account or machine.',
    );
  }
}

/** The refusal of a token, with a reason that programs can branch on. */
export function refusedToken(reason: string, message: string): Fault {
  return new Fault('E_CONFLICT', message, {
    hint: 'Run the command again with --dry-run, check the preview, and confirm with the new token.',
    details: { reason, field: 'confirm' },
  });
}

function sign(signedPart: string, scope: unknown, key: Uint8Array): string {
  return hmacSha256(key, `${signedPart} ${canonicalJson(scope)}`).slice(0, SIGNATURE_BYTES * 2);
}
