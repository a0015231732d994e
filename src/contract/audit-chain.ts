import { equalInConstantTime, hmacSha256 } from '../base/digest.ts';
import { canonicalJson, isPlainObject, type JsonObject } from '../base/json.ts';

/** The content of one audit line about one call. */
export interface AuditEntry {
  readonly at: string;
  /** `begin` and `end` frame a write; a read has `end` alone. */
  readonly phase: 'begin' | 'end';
  readonly command: string | null;
  readonly args: JsonObject;
  readonly account: JsonObject;
  readonly agent: string | null;
  readonly request_id: string | null;
  readonly exit_code: number | null;
  readonly code: string | null;
  readonly duration_ms: number | null;
  readonly note?: string;
}

export interface AuditLine extends AuditEntry {
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
}

export const CHANGED_LINE = 'changed line';

export const CHAIN_START = '0'.repeat(64);

/** Links an entry to the line before it and signs it. */
export function sealEntry(
  entry: AuditEntry,
  previous: { seq: number; hash: string },
  key: Uint8Array,
): AuditLine {
  const body = { ...entry, seq: previous.seq + 1, prev: previous.hash };
  return { ...body, hash: hmacSha256(key, canonicalJson(body)) };
}

export function renderLine(line: AuditLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** Parses one line of a log; undefined when it is not an audit line. */
export function parseLine(text: string): AuditLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isPlainObject(value)) return undefined;
    if (typeof value.seq !== 'number' || typeof value.prev !== 'string' || typeof value.hash !== 'string')
      return undefined;
    return value as unknown as AuditLine;
  } catch {
    return undefined;
  }
}

/** Describes what is wrong with a line that should follow another; undefined when it is valid. */
export function checkLine(
  line: AuditLine | undefined,
  previous: { seq: number; hash: string },
  key: Uint8Array,
): string | undefined {
  if (line === undefined) return 'unreadable line';
  if (!isGenuine(line, key)) return CHANGED_LINE;
  if (line.seq !== previous.seq + 1)
    return `missing or repeated lines: ${previous.seq} is followed by ${line.seq}`;
  if (line.prev !== previous.hash) return 'does not follow from the line before it';
  return undefined;
}

/** Whether a line has the signature of its content. */
export function isGenuine({ hash, ...body }: AuditLine, key: Uint8Array): boolean {
  return equalInConstantTime(hmacSha256(key, canonicalJson(body)), hash);
}
