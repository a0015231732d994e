import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readLines } from '../system/read-lines.ts';
import { readLinesBackward } from '../system/read-lines-backward.ts';
import { readSecret } from '../system/secret.ts';
import { hasAuditAnchor } from './audit-anchor.ts';
import { checkLine, parseLine, type AuditLine } from './audit-chain.ts';
import { logFiles } from './audit-files.ts';
import { compareWithHead } from './audit-ending.ts';
import { readAuditHead, type AuditHead } from './audit-head.ts';
import { AUDIT_FOLDER, AUDIT_KEY } from './audit-log.ts';
import { chainStart, checkRetired, readRetired } from './audit-retired.ts';
import { readAuditNewestFirst } from './read-audit.ts';
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
  const key = readSecret(join(folder, AUDIT_KEY));
  const files = logFiles(folder);
  const retired = readRetired(folder);
  if (files.length === 0 && head === undefined && key === undefined && retired.length === 0)
    return hasAuditAnchor(home) ? 'the log was deleted' : undefined;
  if (key === undefined) return 'its key is missing';
  if (head === undefined) return 'its head is missing';
  for (const [index, month] of retired.entries()) {
    const problem = checkRetired(month, chainStart(retired.slice(0, index)), key);
    if (problem !== undefined) return `${month.file}: ${problem}`;
  }
  return checkNewest(home, head, key) ?? (await checkBorders(folder, files));
}

function checkNewest(home: Home, head: AuditHead, key: Uint8Array): string | undefined {
  const folder = home.at(AUDIT_FOLDER);
  let newer: AuditLine | undefined;
  let checked = 0;
  for (const line of readAuditNewestFirst(home)) {
    if (newer === undefined && compareWithHead(folder, key, head, line) === 'cut' && line.seq < head.seq)
      return endsEarly(head, line.seq);
    if (line.seq === head.seq && line.hash !== head.hash) return `line ${line.seq} does not match the head`;
    const problem = newer && checkLine(newer, line, key);
    if (newer !== undefined && problem !== undefined) return `line ${newer.seq}: ${problem}`;
    newer = line;
    checked += 1;
    if (checked === RECENT_LINES) return undefined;
  }
  const start = chainStart(readRetired(folder));
  if (newer !== undefined) {
    const problem = checkLine(newer, start, key);
    return problem && `line ${newer.seq}: ${problem}`;
  }
  if (head.seq > start.seq && compareWithHead(folder, key, head, start) === 'cut')
    return endsEarly(head, start.seq);
  return head.seq === 0 && hasAuditAnchor(home) ? 'it is empty, but lines were written before' : undefined;
}

function endsEarly(head: AuditHead, seq: number): string {
  return `lines are missing at its end: the head is at line ${head.seq}, the log ends at line ${seq}`;
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
