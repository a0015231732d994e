import { equalInConstantTime, hmacSha256, sha256 } from '../base/digest.ts';
import { isoTime } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { randomId } from '../base/ids.ts';
import { canonicalJson, isPlainObject } from '../base/json.ts';
import { CONFIRM_TOKEN_PREFIX, CONFIRM_TOKEN_TTL_MS } from './generated.ts';

/**
 * A confirm token: `ct_<base64url of {expires_at, nonce, scope_hash}>.<hmac>`. It contains no secret and no arguments; the hash
 * of the scope binds it to one operation on one state, the HMAC to this machine, the nonce to one use.
 */
export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: string;
}

export interface VerifiedToken {
  readonly fingerprint: string;
  readonly expiresAtMs: number;
}

interface Payload {
  readonly expires_at: string;
  readonly nonce: string;
  readonly scope_hash: string;
}

/** The clock may be set back a little; a token that expires later than this allows is rejected. */
const CLOCK_SKEW_MS = 60_000;
const MAX_TOKEN_LENGTH = 1024;

/** Issues a token for one operation; the scope is everything that must be unchanged when the token is used. */
export function issueToken(scope: unknown, key: Uint8Array, now: number): IssuedToken {
  const payload: Payload = {
    expires_at: isoTime(now + CONFIRM_TOKEN_TTL_MS),
    nonce: randomId(),
    scope_hash: sha256(canonicalJson(scope)),
  };
  const body = Buffer.from(canonicalJson(payload)).toString('base64url');
  return { token: `${CONFIRM_TOKEN_PREFIX}${body}.${hmacSha256(key, body)}`, expiresAt: payload.expires_at };
}

/** Accepts a token that this machine issued for exactly this scope and that has not expired; throws a conflict otherwise. */
export function verifyToken(token: string, scope: unknown, key: Uint8Array, now: number): VerifiedToken {
  const { body, signature } = splitToken(token);
  if (!equalInConstantTime(hmacSha256(key, body), signature)) {
    throw refused('foreign', 'The confirm token was not issued by this account on this machine.');
  }
  const payload = readPayload(body);
  const expiresAtMs = Date.parse(payload.expires_at);
  if (now >= expiresAtMs) throw refused('expired', `The confirm token expired at ${payload.expires_at}.`);
  if (expiresAtMs - now > CONFIRM_TOKEN_TTL_MS + CLOCK_SKEW_MS) {
    throw refused('clock', 'The confirm token is from the future; the clock was set back since the dry run.');
  }
  if (!equalInConstantTime(payload.scope_hash, sha256(canonicalJson(scope)))) {
    throw refused('changed', 'The arguments, the caller or the state changed since the dry run.');
  }
  return { fingerprint: sha256(token), expiresAtMs };
}

/** The fault for a rejected token, with a machine-readable reason. */
export function refused(reason: string, message: string): Fault {
  return new Fault('E_CONFLICT', message, {
    hint: 'Run the command again with --dry-run, check the preview, and confirm with the new token.',
    details: { reason, field: 'confirm' },
  });
}

function splitToken(token: string): { body: string; signature: string } {
  const match = /^ct_([A-Za-z0-9_-]+)\.([0-9a-f]{64})$/u.exec(token.length > MAX_TOKEN_LENGTH ? '' : token);
  const body = match?.[1];
  const signature = match?.[2];
  if (body === undefined || signature === undefined) throw malformed();
  // Base64 can encode the same bytes in several ways; only the canonical one is accepted, so a token has one fingerprint.
  if (Buffer.from(body, 'base64url').toString('base64url') !== body) throw malformed();
  return { body, signature };
}

function readPayload(body: string): Payload {
  const value = parseBody(body);
  if (!isPlainObject(value)) throw malformed();
  const { expires_at, nonce, scope_hash } = value;
  if (typeof expires_at !== 'string' || typeof nonce !== 'string' || typeof scope_hash !== 'string')
    throw malformed();
  if (Number.isNaN(Date.parse(expires_at))) throw malformed();
  return { expires_at, nonce, scope_hash };
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function malformed(): Fault {
  return refused('malformed', 'This is not a confirm token.');
}
