import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { damaged } from '../../base/damaged.ts';
import { Fault } from '../../base/fault.ts';
import { openSecret, readSecret } from '../../system/secret.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { readFileIfPresent } from '../../system/durable-file.ts';
import { createManifest, type ManifestFacts } from './session-manifest.ts';
import { openSession, type TriageSession } from './session.ts';
import { createSessionId, isSessionId, sessionTime } from './session-id.ts';

/** How long triage sessions are kept. */
export const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

const SEAL_KEY_OPTIONS = {
  removal: 'existing triage sessions become unusable; no process is affected',
};

function sealKeyPath(root: string): string {
  return join(root, 'seal.key');
}

/**
 * Checks the key of the seals with the newest session; undefined if there is no key yet. Damage is E_DAMAGED. Contract: creates nothing.
 */
export function checkSealKey(root: string, now: () => number): 'intact' | undefined {
  const key = readSecret(sealKeyPath(root), SEAL_KEY_OPTIONS);
  const [newest] = openSessionStore(root, now).list();
  if (key === undefined) {
    if (newest === undefined) return undefined;
    throw damaged(
      sealKeyPath(root),
      'it is missing',
      `Restore it from a backup, or create a new plan: sessions without it cannot be used.`,
    );
  }
  if (newest !== undefined) openSession(join(root, 'sessions', newest), newest, key, now).readManifest();
  return 'intact';
}

/** The time of the first session since 0.2.0, in epoch milliseconds. */
const FIRST_SESSION_FILE = 'first-session';

function readFirstSession(root: string): number {
  const path = join(root, FIRST_SESSION_FILE);
  return Number(readFileIfPresent(path) ?? Number.NaN);
}

function recordFirstSession(root: string, nowMs: number): void {
  const path = join(root, FIRST_SESSION_FILE);
  if (!existsSync(path)) writeFileSync(path, String(nowMs), { mode: 0o600 });
}

/** The triage sessions of an account. */
export interface SessionStore {
  readonly root: string;
  readonly create: (facts: ManifestFacts) => TriageSession;
  /** Contract: throws E_NOT_FOUND for an unknown session and E_SESSION_EXPIRED for an expired one. */
  readonly open: (id: string) => TriageSession;
  /** The ids of the sessions that can be opened, newest first. */
  readonly list: () => readonly string[];
  /** The ids of the sessions that have expired. */
  readonly expired: () => readonly string[];
  /** Removes expired sessions of this version; returns their number. Sessions of 0.1.0 stay until a confirmed `deed gc`. */
  readonly expire: () => number;
}

/** Opens the triage sessions in a data folder. Creates no files before the first session. */
export function openSessionStore(root: string, now: () => number, retentionMs = RETENTION_MS): SessionStore {
  const folder = join(root, 'sessions');
  const pathOf = (id: string): string => join(folder, id);
  const key = (): Uint8Array => {
    ensurePrivateFolder(root);
    return openSecret(sealKeyPath(root), SEAL_KEY_OPTIONS);
  };
  const isExpired = (id: string): boolean => now() - (sessionTime(id) ?? 0) > retentionMs;
  const names = (): readonly string[] =>
    existsSync(folder) ? readdirSync(folder).filter(isSessionId).sort().toReversed() : [];
  return {
    root,
    create: (facts) => {
      const id = createSessionId(now());
      ensurePrivateFolder(join(pathOf(id), 'telemetry'));
      const session = openSession(pathOf(id), id, key(), now);
      recordFirstSession(root, now());
      session.writeManifest(createManifest(id, facts, now()));
      return session;
    },
    open: (id) => {
      if (!isSessionId(id)) throw notFound(id, 'Session ids have the form sess-YYYYMMDD-HHMMSS-xxxxxx.');
      // The id contains the time, so an expired session is recognized even after it was removed.
      if (isExpired(id)) throw expired(id, retentionMs);
      if (!existsSync(join(pathOf(id), 'manifest.json'))) throw notFound(id, 'It does not exist.');
      return openSession(pathOf(id), id, key(), now);
    },
    list: () => names().filter((id) => !isExpired(id) && existsSync(join(pathOf(id), 'manifest.json'))),
    expired: () => names().filter(isExpired),
    expire: () => {
      const first = readFirstSession(root);
      // An id has the time in seconds. Without a readable time nothing is removed.
      const old = names().filter((id) => isExpired(id) && (sessionTime(id) ?? 0) >= first - 1000);
      for (const id of old) rmSync(pathOf(id), { recursive: true, force: true });
      return old.length;
    },
  };
}

function notFound(id: string, why: string): Fault {
  return new Fault('E_NOT_FOUND', `Unknown triage session: "${id.slice(0, 80)}". ${why}`, {
    hint: 'List them with "deed triage sessions" or "pt agent sessions", or take a new snapshot.',
    details: { session_id: id.slice(0, 80), resource: 'session' },
  });
}

function expired(id: string, retentionMs: number): Fault {
  const days = Math.round(retentionMs / 86_400_000);
  return new Fault(
    'E_SESSION_EXPIRED',
    `Triage session ${id} has expired: sessions are kept for ${days} days.`,
    {
      hint: 'Take a new snapshot.',
      details: { session_id: id, retention_days: days },
    },
  );
}
