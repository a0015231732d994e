import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { canonicalJson, isPlainObject } from '../../base/json.ts';
import { readFileIfPresent, syncFolder } from '../../system/durable-file.ts';
import { FIRST } from './receipt.ts';

/** One receipt in the order of all: enough to find a run that did the same before. */
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

/** Reads the chain; half a line at its end is what a crash left and counts as absent. */
export function readChain(path: string): readonly ChainLine[] {
  const text = readFileIfPresent(path, MAX_BYTES) ?? '';
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1)
    .map((line, index) => parseLine(path, line, index));
}

export function chainHead(lines: readonly ChainLine[]): {
  readonly receiptHash: string;
  readonly runHash: string;
} {
  const last = lines.at(-1);
  return { receiptHash: last?.receipt_hash ?? FIRST, runHash: last?.run_hash ?? FIRST };
}

/** Adds a receipt at the end. Contract: the caller holds the lock of the chain, and the receipt is on disk already. */
export function appendChain(path: string, line: ChainLine): void {
  cutHalfLine(path);
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

function cutHalfLine(path: string): void {
  const text = readFileIfPresent(path, MAX_BYTES);
  if (text === undefined || text === '' || text.endsWith('\n')) return;
  const whole = Buffer.byteLength(text.slice(0, text.lastIndexOf('\n') + 1));
  if (statSync(path).size > whole) truncateSync(path, whole);
}

function parseLine(path: string, line: string, index: number): ChainLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    value = undefined;
  }
  if (isPlainObject(value) && canonicalJson(value) === line && typeof value.receipt_hash === 'string')
    return value as unknown as ChainLine;
  throw new Fault('E_INTEGRITY', `Line ${index + 1} of ${path} was changed.`, {
    hint: 'Restore the file from a backup; "deed receipt verify" tells what else is affected.',
    details: { path, line: index + 1 },
  });
}
