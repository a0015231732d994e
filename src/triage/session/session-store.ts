import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { openSecret } from '../../system/secret.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { createManifest, type Manifest } from './session-manifest.ts';
import { openSession, type Session } from './session.ts';
import { createSessionId, isSessionId, sessionTime } from './session-id.ts';

/** How long sessions are kept. */
export const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** All sessions of an account. */
export interface SessionStore {
  readonly root: string;
  readonly create: (facts: Pick<Manifest, 'host_id' | 'boot_id' | 'uid'>) => Session;
  /** Contract: throws E_NOT_FOUND for a session that never was and E_SESSION_EXPIRED for one past its time. */
  readonly open: (id: string) => Session;
  /** The ids of the sessions that can be opened, newest first. */
  readonly list: () => readonly string[];
  /** Removes the sessions past their time; returns how many. */
  readonly expire: () => number;
}

/** Opens the sessions below a data folder; nothing is created before the first one is. */
export function openSessionStore(root: string, now: () => number, retentionMs = RETENTION_MS): SessionStore {
  const folder = join(root, 'sessions');
  const pathOf = (id: string): string => join(folder, id);
  const key = (): Uint8Array => {
    ensurePrivateFolder(root);
    return openSecret(join(root, 'seal.key'));
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
      session.writeManifest(createManifest(id, facts, now()));
      return session;
    },
    open: (id) => {
      if (!isSessionId(id)) throw notFound(id, 'It does not have the form of a session id.');
      // Its name tells its age, so one that was removed already is still told from one that never was.
      if (isExpired(id)) throw expired(id, retentionMs);
      if (!existsSync(join(pathOf(id), 'manifest.json')))
        throw notFound(id, 'There is no such session here.');
      return openSession(pathOf(id), id, key(), now);
    },
    list: () => names().filter((id) => !isExpired(id) && existsSync(join(pathOf(id), 'manifest.json'))),
    expire: () => {
      const old = names().filter(isExpired);
      for (const id of old) rmSync(pathOf(id), { recursive: true, force: true });
      return old.length;
    },
  };
}

function notFound(id: string, why: string): Fault {
  return new Fault('E_NOT_FOUND', `Session "${id.slice(0, 80)}" is not known. ${why}`, {
    hint: 'List the sessions there are, or take a new snapshot.',
    details: { session_id: id.slice(0, 80), resource: 'session' },
  });
}

function expired(id: string, retentionMs: number): Fault {
  const days = Math.round(retentionMs / 86_400_000);
  return new Fault(
    'E_SESSION_EXPIRED',
    `Session ${id} is older than the ${days} days that sessions are kept.`,
    {
      hint: 'Take a new snapshot.',
      details: { session_id: id, retention_days: days },
    },
  );
}
