import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { equalInConstantTime, hmacSha256 } from '../../system/digest.ts';
import { unlessDamaged } from '../../base/damaged.ts';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { readOwnText } from '../../system/own-file.ts';
import { writeFileDurably, writeWhole } from '../../system/durable-file.ts';

/** The key and the identity of a document. The seal covers session and name, so a file cannot replace another one. */
export interface SealContext {
  readonly key: Uint8Array;
  readonly sessionId: string;
  readonly name: string;
}

const HINT = 'Create a new plan. The damaged session is deleted when it expires.';

/** More than a snapshot with tens of thousands of processes needs. */
const MAX_BYTES = 256 * 1024 * 1024;

const LINE_END = 10;

/** Writes a document with a seal: an HMAC with a key that only this account can read. */
export function writeSealed(path: string, document: object, context: SealContext): void {
  writeFileDurably(path, renderSealed(document, context));
}

/** Appends a line with its own seal. Contract: the line is on disk when it returns, and only one process appends at a time. */
export function appendSealed(path: string, entry: object, context: SealContext): void {
  const file = openSync(path, 'a+', 0o600);
  try {
    removeHalfLine(file);
    writeWhole(file, renderSealed(entry, context));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  // The number is written after the line: if the process is killed in between, the number is too small, which does not look like a deletion.
  const known = unlessDamaged(() => readSealed(countPath(path), countContext(context)));
  const count =
    typeof known?.['lines'] === 'number' ? { ...known, lines: known['lines'] + 1 } : countAll(readLog(path));
  writeSealed(countPath(path), count, countContext(context));
}

/** A process that was killed, or a full disk, may have left half a line: the next one would become a part of it. */
function removeHalfLine(file: number): void {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  if (size === 0 || (readSync(file, last, 0, 1, size - 1) === 1 && last[0] === LINE_END)) return;
  const text = Buffer.alloc(size);
  readSync(file, text, 0, size, 0);
  ftruncateSync(file, text.lastIndexOf(LINE_END) + 1);
}

/** The path of the file with the number of lines, which detects a log that was emptied or cut at the end of a line. */
function countPath(path: string): string {
  return path.replace(/\.jsonl$/u, '.count.json');
}

function countContext(context: SealContext): SealContext {
  return { ...context, name: countPath(context.name) };
}

/** Version 0.1.0 wrote lines without a seal. Their number is stored too, so that a line without a seal that is added later is noticed. */
function countAll(text: string): { readonly lines: number; readonly unsealed: number } {
  const lines = text.split('\n').slice(0, -1);
  const sealed = lines.findIndex((line) => parseObject(line)?.['seal'] !== undefined);
  return { lines: lines.length, unsealed: sealed < 0 ? lines.length : sealed };
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}

function readLog(path: string): string {
  return readOwnText(path, { maxBytes: MAX_BYTES, hint: HINT }) ?? '';
}

/**
 * Reads sealed lines; lines of version 0.1.0, at the start of a log, have no seal. A process that was killed may have left half a line at
 * the end.
 */
export function readSealedLines(path: string, context: SealContext): Record<string, unknown>[] {
  // Before the log, because a process may append to it in between. Earlier versions wrote no number.
  const count = readSealed(countPath(path), countContext(context));
  const expected = Number(count?.['lines'] ?? 0);
  const text = readLog(path);
  if (countLines(text) < expected) throw tampered(path, context, `has lost lines: it had ${expected}`);
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  let unsealed = Number(count?.['unsealed'] ?? Infinity);
  return lines.slice(0, -1).map((line, index) => {
    const value = parseObject(line);
    if (value === undefined) throw tampered(path, context, 'has a line that is not JSON');
    if (value['seal'] === undefined && index >= unsealed)
      throw tampered(path, context, 'has a line without a seal');
    if (value['seal'] !== undefined) unsealed = 0;
    return value['seal'] === undefined ? value : unseal(path, value, context);
  });
}

function renderSealed(document: object, context: SealContext): string {
  const body = JSON.stringify(document);
  const separator = body === '{}' ? '' : ',';
  return `${body.slice(0, -1)}${separator}"seal":"${sealOf(body, context)}"}\n`;
}

/**
 * Reads a document; undefined when it does not exist. Actions depend on these files, so a changed, truncated or copied file is rejected.
 */
export function readSealed(path: string, context: SealContext): Record<string, unknown> | undefined {
  const text = readOwnText(path, { maxBytes: MAX_BYTES, hint: HINT });
  if (text === undefined) return undefined;
  const value = parseObject(text);
  if (value === undefined) throw tampered(path, context, 'is truncated or not JSON');
  return unseal(path, value, context);
}

function unseal(
  path: string,
  { seal, ...document }: Record<string, unknown>,
  context: SealContext,
): Record<string, unknown> {
  // JSON.parse keeps the order of members, so this is the sealed text again.
  const expected = sealOf(JSON.stringify(document), context);
  if (typeof seal !== 'string' || !equalInConstantTime(seal, expected))
    throw tampered(path, context, 'was changed after it was written, or its key was');
  return document;
}

function sealOf(body: string, { key, sessionId, name }: SealContext): string {
  return hmacSha256(key, `${sessionId}\n${name}\n${body}`);
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function tampered(path: string, { sessionId, name }: SealContext, problem: string): Fault {
  return new Fault('E_DAMAGED', `${name} of triage session ${sessionId} ${problem}. No action was taken.`, {
    hint: HINT,
    details: { session_id: sessionId, document: name, problem, path },
  });
}
