import { join } from 'node:path';
import { isoTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { readFileIfPresent, writeFileDurably } from '../../system/durable-file.ts';
import { withLock } from '../../system/lock.ts';
import type { PlanDocument } from '../plan-document.ts';
import type { ProcessSnapshot } from '../process-snapshot.ts';
import type { SessionManifest } from './session-manifest.ts';
import type { OutcomeEntry } from './outcome-entry.ts';
import { appendSealed, readSealed, readSealedLines, writeSealed } from './sealed-file.ts';
import { nextState, type TriageSessionState } from './session-state.ts';

/** The sealed documents of a triage session. */
export interface Documents {
  readonly 'snapshot.json': ProcessSnapshot;
  readonly 'plan.json': PlanDocument;
  readonly 'outcomes.json': { readonly session_id: string; readonly entries: readonly OutcomeEntry[] };
}

export type DocumentName = keyof Documents;

const AUDIT = 'audit.jsonl';

/** A triage session on disk. All files are sealed except the telemetry, which nothing depends on. */
export interface TriageSession {
  readonly id: string;
  readonly folder: string;
  readonly readManifest: () => SessionManifest;
  readonly writeManifest: (manifest: SessionManifest) => void;
  /** Changes the manifest; throws for an invalid state transition. */
  readonly advance: (state: TriageSessionState, extra?: Partial<SessionManifest>) => SessionManifest;
  readonly update: (extra: Partial<Omit<SessionManifest, 'state'>>) => SessionManifest;
  readonly read: <N extends DocumentName>(name: N) => Documents[N] | undefined;
  readonly require: <N extends DocumentName>(name: N) => Documents[N];
  readonly write: <N extends DocumentName>(name: N, document: Documents[N]) => void;
  readonly writeTelemetry: (name: string, value: object) => void;
  /** Telemetry for display; undefined when there is none or it is not JSON. */
  readonly readTelemetry: (name: string) => unknown;
  /** Appends a line to the audit log of the session. Contract: on disk when it returns. */
  readonly audit: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  readonly readAudit: () => readonly Record<string, unknown>[];
  /** Runs a function under the lock of the session. Contract: throws E_CONFLICT immediately when another process has the lock. */
  readonly exclusively: <T>(action: () => Promise<T>) => Promise<T>;
  /** Whether another process has the lock. */
  readonly isInUse: () => Promise<boolean>;
}

function parseOrUndefined(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Opens the triage session in an existing folder. */
export function openSession(folder: string, id: string, key: Uint8Array, now: () => number): TriageSession {
  const seal = (name: string) => ({ key, sessionId: id, name });
  const at = (name: string): string => join(folder, name);
  const read = <N extends DocumentName>(name: N): Documents[N] | undefined =>
    readSealed(at(name), seal(name)) as Documents[N] | undefined;
  const writeManifest = (manifest: SessionManifest): void =>
    writeSealed(at('manifest.json'), manifest, seal('manifest.json'));
  const readManifest = (): SessionManifest => {
    const manifest = readSealed(at('manifest.json'), seal('manifest.json'));
    if (manifest === undefined) throw missing(id, 'manifest.json');
    return manifest as unknown as SessionManifest;
  };
  const change = (from: SessionManifest, extra: Partial<SessionManifest>): SessionManifest => {
    const next = { ...from, ...extra, updated_at: isoTime(now()) };
    writeManifest(next);
    return next;
  };
  const audit: TriageSession['audit'] = (event, fields = {}) =>
    appendSealed(at(AUDIT), { at: isoTime(now()), event, ...fields }, seal(AUDIT));
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
    update: (extra) => change(readManifest(), extra),
    read,
    require: (name) => {
      const document = read(name);
      if (document === undefined) throw missing(id, name);
      return document;
    },
    write: (name, document) => writeSealed(at(name), document, seal(name)),
    writeTelemetry: (name, value) =>
      writeFileDurably(join(folder, 'telemetry', name), `${JSON.stringify(value)}\n`, { sync: false }),
    readTelemetry: (name) => parseOrUndefined(readFileIfPresent(join(folder, 'telemetry', name))),
    audit,
    readAudit: () => readSealedLines(at(AUDIT), seal(AUDIT)),
    exclusively: (action) => exclusively(id, at('session.lock'), action),
    isInUse: () => isLocked(at('session.lock')),
  };
}

async function isLocked(path: string): Promise<boolean> {
  try {
    await withLock(path, () => undefined, { waitMs: 0 });
    return false;
  } catch (error) {
    if (error instanceof Fault && error.code === 'E_TIMEOUT') return true;
    throw error;
  }
}

/** The second of two callers fails instead of waiting, because the first may take long to act on processes. */
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
    throw new Fault('E_CONFLICT', `Another process is using triage session ${id}.`, {
      hint: 'Wait until it finishes, then check the session with the status command.',
      details: { session_id: id, ...error.details },
      cause: error,
    });
  }
}

function missing(id: string, name: string): Fault {
  const what = name === 'plan.json' ? 'has no plan' : `has no ${name}`;
  return new Fault('E_CONFLICT', `Triage session ${id} ${what}.`, {
    hint: name === 'plan.json' ? `Create it with: plan --session ${id}.` : 'Take a new snapshot.',
    details: { session_id: id, document: name },
  });
}
