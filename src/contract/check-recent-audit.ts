import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readLines } from '../system/read-lines.ts';
import { readLinesBackward } from '../system/read-lines-backward.ts';
import { readRange } from '../system/read-range.ts';
import { ANCHOR, hasAuditAnchor, isAnchorMissing } from './audit-anchor.ts';
import { checkText, parseLine, type AuditLine } from './audit-chain.ts';
import { logFiles } from './audit-files.ts';
import { readAuditKey } from './audit-key.ts';
import { assertAuditKey } from './check-audit-key.ts';
import { compareWithHead } from './audit-ending.ts';
import { readAuditHead, type AuditHead, type FlushedLine } from './audit-head.ts';
import { hasLineAt } from './has-line-at.ts';
import type { AuditEnd } from './audit-tail.ts';
import { AUDIT_FOLDER } from './audit-log.ts';
import { chainStart, checkRetired, readRetired } from './audit-retired.ts';
import type { Home } from './home.ts';

/** How many lines at the end are checked; the cost must not grow with the log. */
const RECENT_LINES = 500;

/**
 * A quick check for doctor: the newest lines, the head, the borders between months and the summaries of retired months. Returns what
 * is wrong; undefined when it found nothing.
 */
export async function checkRecentAudit(home: Home): Promise<string | undefined> {
  const folder = home.at(AUDIT_FOLDER);
  const head = readAuditHead(folder);
  const key = readAuditKey(folder);
  const files = logFiles(folder);
  const retired = readRetired(folder);
  if (files.length === 0 && head === undefined && key === undefined && retired.length === 0)
    return hasAuditAnchor(home) ? 'the log was deleted' : undefined;
  assertAuditKey(folder, key);
  if (key === undefined) return 'its key is missing';
  if (head === undefined) return 'its head is missing';
  for (const [index, month] of retired.entries()) {
    const problem = checkRetired(month, chainStart(retired.slice(0, index)), key);
    if (problem !== undefined) return `${month.file}: ${problem}`;
  }
  if (head.lost !== undefined && head.lost > chainStart(retired).seq)
    return `its head was lost before line ${head.lost}, so lines may be missing; the problem ends when that month is retired`;
  if (isAnchorMissing(home, head)) return `the file ${ANCHOR} is missing`;
  return checkNewest(home, head, key) ?? checkAfterHead(folder, head) ?? (await checkBorders(folder, files));
}

function checkNewest(home: Home, head: AuditHead, key: Uint8Array): string | undefined {
  const folder = home.at(AUDIT_FOLDER);
  const start = chainStart(readRetired(folder));
  const known = lastKnown(folder, head, key, start);
  if (typeof known === 'string') return known;
  let newer: { readonly text: string; readonly seq: number } | undefined;
  let checked = 0;
  for (const text of textsBackward(folder, head.file, known.bytes)) {
    const line = parseLine(text);
    if (line === undefined) return `unreadable line before line ${newer?.seq ?? known.seq}`;
    const problem = newer && checkText(newer.text, line, key);
    if (newer !== undefined && problem !== undefined) return `line ${newer.seq}: ${problem}`;
    newer = { text, seq: line.seq };
    checked += 1;
    if (checked === RECENT_LINES) return undefined;
  }
  if (newer !== undefined) {
    const problem = checkText(newer.text, start, key);
    return problem && `line ${newer.seq}: ${problem}`;
  }
  return known.seq === 0 && hasAuditAnchor(home) ? 'it is empty, but lines were written before' : undefined;
}

/** The last line that must be in the log: the line of the head, or the last flushed line if the computer may have stopped since. */
function lastKnown(folder: string, head: AuditHead, key: Uint8Array, start: AuditEnd): FlushedLine | string {
  const { synced } = head;
  if (synced !== undefined && !hasLineAt(folder, head.file, synced)) return endsEarly(head);
  if (hasLineAt(folder, head.file, head)) return head;
  const end = lastLine(join(folder, head.file)) ?? synced;
  const mayBeTorn = synced !== undefined && end && compareWithHead(folder, key, head, end) === 'torn';
  if (mayBeTorn) return synced;
  return head.seq > start.seq ? endsEarly(head) : head;
}

/** The lines of all months up to a byte of the newest one, newest first. */
function* textsBackward(folder: string, newest: string, bytes: number): Generator<string> {
  const files = logFiles(folder).filter((file) => file <= newest);
  for (const file of files.toReversed())
    yield* readLinesBackward(join(folder, file), file === newest ? bytes : undefined);
}

const MAX_LATE_BYTES = 1024 * 1024;

/** Whole lines after the head are written by other processes at this moment, or before they crashed. */
function checkAfterHead(folder: string, head: AuditHead): string | undefined {
  const path = join(folder, head.file);
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= head.bytes || !hasLineAt(folder, head.file, head)) return undefined;
  const late = readRange(path, head.bytes, Math.min(size - head.bytes, MAX_LATE_BYTES));
  const texts = late.toString('utf8').split('\n').slice(0, -1);
  return texts.every((text) => parseLine(text) !== undefined)
    ? undefined
    : `unreadable line after line ${head.seq}`;
}

function endsEarly(head: AuditHead): string {
  return `lines are missing at its end, or changed: the head is at line ${head.seq}, byte ${head.bytes} of ${head.file}`;
}

/** The first line of a month follows the last one of the month before. */
async function checkBorders(folder: string, files: readonly string[]): Promise<string | undefined> {
  for (const [index, file] of files.entries()) {
    const before = files[index - 1];
    if (before === undefined || statSync(join(folder, file)).size === 0) continue;
    const last = lastLine(join(folder, before));
    const first = await firstLine(join(folder, file));
    if (first === undefined || last === undefined || first.prev !== last.hash)
      return `${file} does not follow from ${before}`;
  }
  return undefined;
}

function lastLine(path: string): AuditLine | undefined {
  for (const text of readLinesBackward(path)) return parseLine(text);
  return undefined;
}

async function firstLine(path: string): Promise<AuditLine | undefined> {
  for await (const text of readLines(path)) return parseLine(text);
  return undefined;
}
