import { closeSync, fsyncSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { writeFileDurably, writeWhole } from '../../system/durable-file.ts';
import { withLock } from '../../system/lock.ts';
import type { PlanDocument } from '../plan-document.ts';
import type { Snapshot } from '../process-snapshot.ts';
import type { Manifest } from './session-manifest.ts';
import type { OutcomeEntry } from './outcome-entry.ts';
import { readSealed, writeSealed } from './sealed-file.ts';
import { nextState, type SessionState } from './session-state.ts';

/** The documents of a session that later steps rest on. */
export interface Documents {
  readonly 'snapshot.json': Snapshot;
  readonly 'plan.json': PlanDocument;
  readonly 'outcomes.json': { readonly session_id: string; readonly entries: readonly OutcomeEntry[] };
}

export type DocumentName = keyof Documents;

/** One session on disk. Everything in it is sealed but the telemetry and the audit log, which nothing rests on. */
export interface Session {
  readonly id: string;
  readonly folder: string;
  readonly readManifest: () => Manifest;
  readonly writeManifest: (manifest: Manifest) => void;
  /** Changes the manifest; the state only along the life of a session. */
  readonly advance: (state: SessionState, extra?: Partial<Manifest>) => Manifest;
  readonly note: (extra: Partial<Omit<Manifest, 'state'>>) => Manifest;
  readonly read: <N extends DocumentName>(name: N) => Documents[N] | undefined;
  readonly require: <N extends DocumentName>(name: N) => Documents[N];
  readonly write: <N extends DocumentName>(name: N, document: Documents[N]) => void;
  readonly writeTelemetry: (name: string, value: object) => void;
  /** Adds a line to the session's own log, on disk before it returns. */
  readonly audit: (event: string, about?: Readonly<Record<string, unknown>>) => void;
  readonly readAudit: () => readonly Record<string, unknown>[];
  /** Runs an action that changes the session while no other process does; fails at once when one does. */
  readonly exclusively: <T>(action: () => Promise<T>) => Promise<T>;
}

/** Opens the session in a folder that exists. */
export function openSession(folder: string, id: string, key: Uint8Array, now: () => number): Session {
  const seal = (name: string) => ({ key, sessionId: id, name });
  const at = (name: string): string => join(folder, name);
  const read = <N extends DocumentName>(name: N): Documents[N] | undefined =>
    readSealed(at(name), seal(name)) as Documents[N] | undefined;
  const writeManifest = (manifest: Manifest): void =>
    writeSealed(at('manifest.json'), manifest, seal('manifest.json'));
  const readManifest = (): Manifest => {
    const manifest = readSealed(at('manifest.json'), seal('manifest.json'));
    if (manifest === undefined) throw missing(id, 'manifest.json');
    return manifest as unknown as Manifest;
  };
  const change = (from: Manifest, extra: Partial<Manifest>): Manifest => {
    const next = { ...from, ...extra, updated_at: isoTime(now()) };
    writeManifest(next);
    return next;
  };
  const audit: Session['audit'] = (event, about = {}) =>
    appendLine(at('audit.jsonl'), { at: isoTime(now()), event, ...about });
  return {
    id,
    folder,
    readManifest,
    writeManifest,
    advance: (state, extra = {}) => {
      const manifest = readManifest();
      const next = change(manifest, { ...extra, state: nextState(id, manifest.state, state) });
      if (manifest.state !== state) audit('state.changed', { from: manifest.state, to: state });
      return next;
    },
    note: (extra) => change(readManifest(), extra),
    read,
    require: (name) => {
      const document = read(name);
      if (document === undefined) throw missing(id, name);
      return document;
    },
    write: (name, document) => writeSealed(at(name), document, seal(name)),
    writeTelemetry: (name, value) =>
      writeFileDurably(join(folder, 'telemetry', name), `${JSON.stringify(value)}\n`, { sync: false }),
    audit,
    readAudit: () => readAuditLines(at('audit.jsonl')),
    exclusively: (action) => exclusively(id, at('session.lock'), action),
  };
}

/** Two that change one session at once: the second is told so, rather than kept waiting for what the first does to processes. */
async function exclusively<T>(id: string, path: string, action: () => Promise<T>): Promise<T> {
  let entered = false;
  try {
    return await withLock(
      path,
      () => {
        entered = true;
        return action();
      },
      { waitMs: 0 },
    );
  } catch (error) {
    if (entered || !(error instanceof Fault) || error.code !== 'E_TIMEOUT') throw error;
    throw new Fault('E_CONFLICT', `Another process is at work on session ${id}.`, {
      hint: 'Wait for it to end, then look at the status of the session.',
      details: { session_id: id, ...error.details },
      cause: error,
    });
  }
}

function appendLine(path: string, entry: object): void {
  const file = openSync(path, 'a', 0o600);
  try {
    writeWhole(file, `${JSON.stringify(entry)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function readAuditLines(path: string): Record<string, unknown>[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Record<string, unknown>];
    } catch {
      // The last line of a process that was killed.
      return [];
    }
  });
}

function missing(id: string, name: string): Fault {
  const what = name === 'plan.json' ? 'was not planned yet' : `has no ${name}`;
  return new Fault('E_CONFLICT', `Session ${id} ${what}.`, {
    hint: name === 'plan.json' ? `Plan it first: plan --session ${id}.` : 'Take a new snapshot.',
    details: { session_id: id, document: name },
  });
}
