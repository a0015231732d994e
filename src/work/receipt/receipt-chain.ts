import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { canonicalJson, isPlainObject } from '../../base/json.ts';
import { readBytesIfPresent, syncFolder } from '../../system/durable-file.ts';
import { FIRST } from './receipt.ts';

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

const MAX_BYTES = 256 * 1024 * 1024;
const NEWLINE = 10;

/** Reads the chain. A partial line at the end was left by a crash and is ignored. */
export function readChain(path: string): readonly ChainLine[] {
  const bytes = readBytesIfPresent(path, MAX_BYTES) ?? Buffer.alloc(0);
  const lines: ChainLine[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    lines.push(parseLine(path, bytes.subarray(start, end), lines.length));
    start = end + 1;
  }
  return lines;
}

export function chainHead(lines: readonly ChainLine[]): {
  readonly receiptHash: string;
  readonly runHash: string;
} {
  const last = lines.at(-1);
  return { receiptHash: last?.receipt_hash ?? FIRST, runHash: last?.run_hash ?? FIRST };
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
  const bytes = readBytesIfPresent(path, MAX_BYTES);
  if (bytes === undefined || bytes.length === 0 || bytes.at(-1) === NEWLINE) return;
  truncateSync(path, bytes.lastIndexOf(NEWLINE) + 1);
}

function parseLine(path: string, line: Buffer, index: number): ChainLine {
  let value: unknown;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch {
    value = undefined;
  }
  if (isPlainObject(value) && line.equals(Buffer.from(canonicalJson(value)))) {
    const { run_id, receipt_id, receipt_hash } = value;
    if ([run_id, receipt_id, receipt_hash].every((member) => typeof member === 'string'))
      return value as unknown as ChainLine;
  }
  throw new Fault('E_DAMAGED', `Line ${index + 1} of ${path} was changed.`, {
    hint: 'Restore the file from a backup; "deed receipt verify" lists everything that is affected.',
    details: { path, line: index + 1 },
  });
}
