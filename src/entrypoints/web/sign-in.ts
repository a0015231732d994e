import { equalInConstantTime, sha256 } from '../../base/digest.ts';
import { randomHex } from '../../base/ids.ts';

/** A signed-in browser. */
export interface WebSession {
  /** Whether its calls are those of a person; otherwise they have the caller of the server. */
  readonly isPerson: boolean;
}

export type Redeemed =
  | { readonly kind: 'accepted'; readonly cookie: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'limited'; readonly retryAfterSeconds: number };

export interface SignIn {
  /** Exchanges the secret of the link for the value of a cookie; a secret is accepted once. */
  readonly redeem: (secret: string) => Redeemed;
  readonly find: (cookie: string | undefined) => WebSession | undefined;
  readonly end: (cookie: string | undefined) => void;
}

export interface SignInOptions {
  readonly isPerson: boolean;
  readonly now: () => number;
  /** Called with the secret of each new link: at the start, and after each sign-in. */
  readonly onSecret: (secret: string) => void;
}

const MAX_FAILURES = 10;
const WINDOW_MS = 60_000;
/** The oldest session ends when there are more. */
const MAX_SESSIONS = 32;
const IDLE_MS = 12 * 60 * 60_000;

/** Signs browsers in by one-time links. Cookies are kept as hashes. */
export function createSignIn({ isPerson, now, onSecret }: SignInOptions): SignIn {
  const sessions = new Map<string, { readonly session: WebSession; usedAt: number }>();
  let failures: number[] = [];
  let secret = '';
  const renew = (): void => {
    secret = randomHex(32);
    onSecret(secret);
  };
  renew();
  return {
    redeem: (given) => {
      failures = failures.filter((at) => now() - at < WINDOW_MS);
      const [first] = failures;
      if (failures.length >= MAX_FAILURES && first !== undefined)
        return { kind: 'limited', retryAfterSeconds: Math.ceil((first + WINDOW_MS - now()) / 1000) };
      if (!equalInConstantTime(given, secret)) {
        failures.push(now());
        return { kind: 'refused' };
      }
      const cookie = randomHex(32);
      const [oldest] = sessions.keys();
      if (sessions.size >= MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
      sessions.set(sha256(cookie), { session: { isPerson }, usedAt: now() });
      renew();
      return { kind: 'accepted', cookie };
    },
    find: (cookie) => {
      const key = sha256(cookie ?? '');
      const entry = sessions.get(key);
      if (entry === undefined) return undefined;
      if (now() - entry.usedAt > IDLE_MS) {
        sessions.delete(key);
        return undefined;
      }
      entry.usedAt = now();
      return entry.session;
    },
    end: (cookie) => void sessions.delete(sha256(cookie ?? '')),
  };
}
