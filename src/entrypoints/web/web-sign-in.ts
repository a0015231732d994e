import { equalInConstantTime, sha256 } from '../../system/digest.ts';
import { randomHex } from '../../base/ids.ts';
import { createRateLimit } from './rate-limit.ts';

/** A signed-in browser. */
export interface WebSession {
  /** Whether its calls are those of a person; otherwise they have the caller of the server. */
  readonly isPerson: boolean;
  /** The name of the person whose link it was; undefined for the link of a server without names. */
  readonly name?: string | undefined;
  /** Aborts when the browser signs out, and when its session ends otherwise. */
  readonly ended: AbortSignal;
}

export type Redeemed =
  | { readonly kind: 'accepted'; readonly cookie: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'limited'; readonly retryAfterSeconds: number };

export interface WebSignIn {
  /** Exchanges the secret of a link for the value of a cookie; a secret is accepted once. */
  readonly redeem: (secret: string, sender: string) => Redeemed;
  readonly find: (cookie: string | undefined) => WebSession | undefined;
  readonly end: (cookie: string | undefined) => void;
  /** Ends the sessions that were not used for too long. */
  readonly endIdle: () => void;
}

export interface WebSignInOptions {
  readonly isPerson: boolean;
  /** The people with their own link; without any there is one link. */
  readonly people: readonly string[];
  readonly now: () => number;
  /** Called with the secret of each new link: at the start, and after each sign-in. */
  readonly onSecret: (secret: string, name: string | undefined) => void;
}

/** Wrong secrets of one sender within a minute, and of all together: a secret cannot be guessed, and one sender does not lock out the others. */
const FAILURES = { max: 10, windowMs: 60_000 };
const ALL_FAILURES = { max: 200, windowMs: 60_000 };
/** The oldest session ends when there are more. */
const MAX_SESSIONS = 32;
const IDLE_MS = 12 * 60 * 60_000;

interface Entry {
  readonly session: WebSession;
  /** Aborts the open streams of the session when it ends. */
  readonly controller: AbortController;
  usedAt: number;
}

/** Signs browsers in by one-time links. Cookies are kept as hashes. */
export function createWebSignIn({ isPerson, people, now, onSecret }: WebSignInOptions): WebSignIn {
  const sessions = new Map<string, Entry>();
  const end = (key: string): void => {
    sessions.get(key)?.controller.abort();
    sessions.delete(key);
  };
  const endIdle = (): void => {
    for (const [key, { usedAt }] of sessions) if (now() - usedAt > IDLE_MS) end(key);
  };
  const failures = createRateLimit({ ...FAILURES, now });
  const allFailures = createRateLimit({ ...ALL_FAILURES, now });
  const names: readonly (string | undefined)[] = people.length === 0 ? [undefined] : people;
  const secrets = new Map<string | undefined, string>();
  const renew = (name: string | undefined): void => {
    const secret = randomHex(32);
    secrets.set(name, secret);
    onSecret(secret, name);
  };
  for (const name of names) renew(name);
  return {
    redeem: (given, sender) => {
      const wait = failures.waitSeconds(sender) ?? allFailures.waitSeconds('');
      if (wait !== undefined) return { kind: 'limited', retryAfterSeconds: wait };
      // All are compared, so that the time does not depend on which one matches.
      const matching = names.filter((name) => equalInConstantTime(given, secrets.get(name) ?? ''));
      if (matching.length === 0) {
        failures.count(sender);
        allFailures.count('');
        return { kind: 'refused' };
      }
      const [name] = matching;
      const cookie = randomHex(32);
      const [oldest] = sessions.keys();
      if (sessions.size >= MAX_SESSIONS && oldest !== undefined) end(oldest);
      const controller = new AbortController();
      const session = { isPerson, name, ended: controller.signal };
      sessions.set(sha256(cookie), { session, controller, usedAt: now() });
      renew(name);
      return { kind: 'accepted', cookie };
    },
    find: (cookie) => {
      endIdle();
      const entry = sessions.get(sha256(cookie ?? ''));
      if (entry === undefined) return undefined;
      entry.usedAt = now();
      return entry.session;
    },
    end: (cookie) => end(sha256(cookie ?? '')),
    endIdle,
  };
}
