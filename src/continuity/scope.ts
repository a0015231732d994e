import type { Session } from './database/database.ts';

/** What the parts of the store need from the world besides the database. */
export interface StorePorts {
  readonly now: () => number;
  readonly randomHex: (byteCount: number) => string;
  /** Contract: answers nothing for a path that is not a readable file; never throws. */
  readonly describeFile: (path: string) => Promise<FileFacts | undefined>;
}

export interface FileFacts {
  readonly sizeBytes: number;
  /** Nothing when the file is too large to be read. */
  readonly blake3: string | null;
}

/** One call at work in the store: its transaction, its time and its agent. */
export interface Scope {
  readonly session: Session;
  readonly nowMs: number;
  /** `nowMs` as text, as it is stored. */
  readonly at: string;
  readonly agent: string;
  readonly ports: StorePorts;
}

export function createScope(session: Session, agent: string, ports: StorePorts): Scope {
  const nowMs = ports.now();
  return { session, nowMs, at: new Date(nowMs).toISOString(), agent, ports };
}

/** Makes an id that sorts by age and that two processes never share: `task_<nanoseconds>_<12 hex digits>`. */
export function newId(scope: Scope, kind: string): string {
  return `${kind}_${scope.nowMs}000000_${scope.ports.randomHex(6)}`;
}

/** Makes a request id for a caller to use once: 64 random bits, so that nobody's clash. */
export function newRequestId(scope: Scope, operation: string): string {
  return `vb_${operation}_${scope.nowMs}_${scope.ports.randomHex(8)}`;
}
