import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { damaged } from '../../base/damaged.ts';
import { canonicalJson, isPlainObject } from '../../base/json.ts';
import { syncFolder } from '../../system/durable-file.ts';
import { readOwnBytes } from '../../system/own-file.ts';

/** One receipt in the chain, with the fields needed to find duplicates. */
export interface ChainLine {
  readonly run_id: string;
  readonly receipt_id: string;
  readonly receipt_hash: string;
  readonly previous_receipt_hash: string;
  readonly run_hash: string;
  readonly status: string;
  readonly phase: string;
  readonly root: string;
  readonly work_item_hash: string;
  readonly before_hash: string;
  readonly after_hash: string;
  readonly timestamp_iso: string;
}

/** What a new receipt follows. */
export interface ChainEnd {
  readonly last: ChainLine | undefined;
  /** The number of receipts. */
  readonly count: number;
}

export function chainEndOf(lines: readonly ChainLine[]): ChainEnd {
  return { last: lines.at(-1), count: lines.length };
}

const MEMBERS: readonly (keyof ChainLine)[] = [
  'run_id',
  'receipt_id',
  'receipt_hash',
  'previous_receipt_hash',
  'run_hash',
  'status',
  'phase',
  'root',
  'work_item_hash',
  'before_hash',
  'after_hash',
  'timestamp_iso',
];

const MAX_BYTES = 256 * 1024 * 1024;
const NEWLINE = 10;

/** A line of the chain that is not what was written. */
export interface DamagedLine {
  /** Its number, from 1. */
  readonly line: number;
}

/** Reads the chain; a changed line is E_DAMAGED. A partial line at the end was left by a crash and is ignored. */
export function readChain(path: string): readonly ChainLine[] {
  return readChainRows(path).map((row) => {
    if ('run_id' in row) return row;
    throw damaged(path, `line ${row.line} was changed`, REPAIR_HINT);
  });
}

/** How to fix the files that list receipts. */
export const REPAIR_HINT =
  'Restore it from a backup, or run "deed work recover --dry-run": it rebuilds the file from the receipts if they are complete.';

const CHAIN = { maxBytes: MAX_BYTES, hint: REPAIR_HINT };

/** Reads every line of the chain, damaged ones as such. */
export function readChainRows(path: string): readonly (ChainLine | DamagedLine)[] {
  return parseRows(readOwnBytes(path, CHAIN) ?? Buffer.alloc(0));
}

function parseRows(bytes: Buffer): readonly (ChainLine | DamagedLine)[] {
  const lines: (ChainLine | DamagedLine)[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    lines.push(parseLine(bytes.subarray(start, end)) ?? { line: lines.length + 1 });
    start = end + 1;
  }
  return lines;
}

/** Reads the last lines of a long chain without parsing the others; undefined if the chain is short, or one of these lines was changed. */
export function readChainEnd(path: string): readonly ChainLine[] | undefined {
  const bytes = readOwnBytes(path, CHAIN);
  if (bytes === undefined || bytes.length <= END_BYTES) return undefined;
  const end = bytes.subarray(-END_BYTES);
  const rows = parseRows(end.subarray(end.indexOf(NEWLINE) + 1));
  return rows.every((row): row is ChainLine => 'run_id' in row) ? rows : undefined;
}

/** Enough for a hundred lines. */
const END_BYTES = 64 * 1024;

/**
 * Finds the lines with a value, oldest first. Only these are parsed, so that a long chain costs little more than reading it. Changed ones are
 * left out; what verifies the chain reports them.
 */
export function searchChain(path: string, member: keyof ChainLine, value: string): readonly ChainLine[] {
  const bytes = readOwnBytes(path, CHAIN) ?? Buffer.alloc(0);
  const text = `"${member}":${JSON.stringify(value)}`;
  const lines: ChainLine[] = [];
  for (let at = bytes.indexOf(text); at !== -1;) {
    const start = bytes.lastIndexOf(NEWLINE, at) + 1;
    const end = bytes.indexOf(NEWLINE, at);
    if (end === -1) break;
    const line = parseLine(bytes.subarray(start, end));
    if (line?.[member] === value) lines.push(line);
    at = bytes.indexOf(text, end);
  }
  return lines;
}

/** Appends a receipt. Contract: the caller holds the lock of the chain, and the receipt is on disk already. */
export function appendChain(path: string, line: ChainLine): void {
  truncatePartialLine(path);
  const isNew = !existsSync(path);
  const file = openSync(path, 'a', 0o600);
  try {
    appendFileSync(file, `${canonicalJson(line)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (isNew) syncFolder(dirname(path));
}

function truncatePartialLine(path: string): void {
  const bytes = readOwnBytes(path, CHAIN);
  if (bytes === undefined || bytes.length === 0 || bytes.at(-1) === NEWLINE) return;
  truncateSync(path, bytes.lastIndexOf(NEWLINE) + 1);
}

function parseLine(line: Buffer): ChainLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
  if (!isPlainObject(value) || !line.equals(Buffer.from(canonicalJson(value)))) return undefined;
  return MEMBERS.every((name) => typeof value[name] === 'string')
    ? (value as unknown as ChainLine)
    : undefined;
}
