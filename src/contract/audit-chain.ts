import { equalInConstantTime, hmacSha256 } from '../system/digest.ts';
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
  /** 2 when the members of its objects are sorted, so that its text follows from its content; absent in lines of older versions. */
  readonly v?: number;
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
  const { args, account } = entry;
  const sorted = { args: sortMembers(args), account: sortMembers(account) };
  const body = { ...entry, ...sorted, v: SORTED, seq: previous.seq + 1, prev: previous.hash };
  return { ...body, hash: hmacSha256(key, canonicalJson(body)) };
}

export function renderLine(line: AuditLine): string {
  return `${textOf(line)}\n`;
}

const SORTED = 2;

/** The order of the members, in every version. */
const ORDER =
  'at phase command args account agent request_id exit_code code duration_ms note v seq prev hash'.split(' ');

/** The only text that a line can have; lines of older versions may have the members of their arguments in any order. */
function textOf(line: AuditLine): string {
  const members = line as unknown as JsonObject;
  const sort = (name: string): unknown =>
    line.v === SORTED && (name === 'args' || name === 'account')
      ? sortMembers(members[name] as JsonObject)
      : members[name];
  return JSON.stringify(Object.fromEntries(ORDER.map((name) => [name, sort(name)])));
}

function sortMembers(object: JsonObject): JsonObject {
  return JSON.parse(canonicalJson(object)) as JsonObject;
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

/** Describes what is wrong with the text of a line that should follow another; undefined when every byte of it is as it was written. */
export function checkText(
  text: string,
  previous: { seq: number; hash: string },
  key: Uint8Array,
): string | undefined {
  const line = parseLine(text);
  return line !== undefined && isGenuine(line, key) && !isExact(line, text)
    ? CHANGED_LINE
    : checkLine(line, previous, key);
}

/** Whether a text is exactly what was written for a line: other spaces, escapes or an order of members mean that it was edited. */
export function isExact(line: AuditLine, text: string): boolean {
  return textOf(line) === text;
}

/** Describes what is wrong with the content of a line that should follow another; undefined when it is valid. */
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
