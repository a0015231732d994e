import { createId } from '../base/ids.ts';
import type { QueryRunner } from './database/database.ts';
import { notBehind } from './not-behind.ts';

/** The dependencies of the store besides the database. */
export interface StorePorts {
  readonly now: () => number;
  /** Whether the time was given, such as the time of an earlier call. Such a time is not compared with the times of the last writes. */
  readonly isFixed?: boolean;
  readonly randomHex: (byteCount: number) => string;
  /** Creates the tail of an id that is created at this time. */
  readonly createTail: (nowMs: number) => string;
  /** Contract: returns undefined for a path that is not a readable file; never throws. */
  readonly describeFile: (path: string, maxHashedBytes?: number) => Promise<FileFacts | undefined>;
  /** Reports something that the caller should know, such as a wrong clock. */
  readonly warn?: (message: string) => void;
}

export interface FileFacts {
  /** The absolute path. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Null if the file is too large to hash. */
  readonly blake3: string | null;
}

/** The context of one call: its transaction, time and agent. */
export interface Scope {
  readonly db: QueryRunner;
  readonly nowMs: number;
  /** `nowMs` as ISO 8601 text, as stored. The expected time, see `WriteRecord`, if the clock is behind it. */
  readonly at: string;
  readonly agent: string;
  /** The session of the caller; null if it acts only under its agent name. */
  readonly claimSession: string | null;
  readonly ports: StorePorts;
}

export function createScope(
  db: QueryRunner,
  agent: string,
  ports: StorePorts,
  claimSession: string | null = null,
): Scope {
  const nowMs = db.nowMs?.() ?? (ports.isFixed ? ports.now() : notBehind(db, ports));
  return { db, nowMs, at: new Date(nowMs).toISOString(), agent, claimSession, ports };
}

/** Creates an id that sorts by time and that the store does not contain yet. */
export async function newId(
  { nowMs, ports }: Scope,
  prefix: string,
  exists: (id: string) => Promise<boolean>,
): Promise<string> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const id = idWithTail(prefix, nowMs, ports.createTail(nowMs));
    if (!(await exists(id))) return id;
  }
  throw new Error(`no free id after ${MAX_ATTEMPTS} attempts`);
}

const MAX_ATTEMPTS = 100;

/** A run that version 0.1.0 staged, and that still waits for approval, recorded 12 hex digits; its writes must get the same ids again. */
function idWithTail(prefix: string, nowMs: number, tail: string): string {
  return tail.length === 12 ? `${prefix}_${nowMs}000000_${tail}` : createId(prefix, nowMs, tail);
}

/** Creates a request id for a caller, with 64 random bits to avoid collisions. */
export function newRequestId(scope: Scope, operation: string): string {
  return `vb_${operation}_${scope.nowMs}_${scope.ports.randomHex(8)}`;
}
