import type { Session } from './database/database.ts';

/** The dependencies of the store besides the database. */
export interface StorePorts {
  readonly now: () => number;
  readonly randomHex: (byteCount: number) => string;
  /** Contract: returns undefined for a path that is not a readable file; never throws. */
  readonly describeFile: (path: string) => Promise<FileFacts | undefined>;
}

export interface FileFacts {
  readonly sizeBytes: number;
  /** Null if the file is too large to hash. */
  readonly blake3: string | null;
}

/** The context of one call: its transaction, time and agent. */
export interface Scope {
  readonly session: Session;
  readonly nowMs: number;
  /** `nowMs` as ISO 8601 text, as stored. */
  readonly at: string;
  readonly agent: string;
  readonly ports: StorePorts;
}

export function createScope(session: Session, agent: string, ports: StorePorts): Scope {
  const nowMs = ports.now();
  return { session, nowMs, at: new Date(nowMs).toISOString(), agent, ports };
}

/** Creates a unique id that sorts by time: `task_<nanoseconds>_<12 hex digits>`. */
export function newId(scope: Scope, kind: string): string {
  return `${kind}_${scope.nowMs}000000_${scope.ports.randomHex(6)}`;
}

/** Creates a request id for a caller, with 64 random bits to avoid collisions. */
export function newRequestId(scope: Scope, operation: string): string {
  return `vb_${operation}_${scope.nowMs}_${scope.ports.randomHex(8)}`;
}
