import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../system/digest.ts';
import { Fault } from '../base/fault.ts';
import { faultFromSystem } from '../base/system-fault.ts';
import { writeFileDurably } from '../system/durable-file.ts';
import { withLock } from '../system/lock.ts';
import { readRange } from '../system/read-range.ts';
import { checkText, parseLine, type AuditLine } from './audit-chain.ts';
import { logFiles, logNameOf, retiredMonthName } from './audit-files.ts';
import { auditLock, readAuditHead } from './audit-head.ts';
import { keepLines } from './audit-kept.ts';
import { AUDIT_KEY, readAuditKey } from './audit-key.ts';
import { AUDIT_FOLDER, HEAD_LOST } from './audit-log.ts';
import { chainStart, readRetired, resealRetired, sealRetired, type RetiredMonth } from './audit-retired.ts';
import type { Home } from './home.ts';
import { verifyRetired } from './verify-audit.ts';

export interface RetireRequest {
  /** Months before this one are retired, for example 2026-10. */
  readonly before: string;
  /** Deletes the lines instead of compressing them, also the lines of months that were retired earlier. */
  readonly deletes: boolean;
  readonly now: string;
}

/** One month that a retirement changes: its lines are summarized, or the compressed lines of its summary are deleted. */
export interface RetiringMonth {
  readonly action: 'retire' | 'delete lines';
  readonly summary: RetiredMonth;
  /** The bytes on disk before. */
  readonly bytes: number;
}

/**
 * Lists the months that a retirement would change, oldest first. Reads only. The file that lines are appended to is never among them,
 * although after a long pause it is the file of an earlier month. Contract: throws E_DAMAGED when one of the months does not verify, because
 * its summary would hide that.
 */
export function planRetirement(home: Home, request: RetireRequest): readonly RetiringMonth[] {
  const folder = home.at(AUDIT_FOLDER);
  const key = readAuditKey(folder);
  const retired = readRetired(folder);
  const [problem] = verifyRetired(folder, key);
  if (problem !== undefined) throw altered(problem.file, problem.problem);
  const kept = request.deletes
    ? retired.flatMap(({ month, summary }): RetiringMonth[] =>
        summary === undefined || summary.kept === null || month >= request.before
          ? []
          : [{ action: 'delete lines', summary, bytes: sizeOf(join(folder, summary.kept)) }],
      )
    : [];
  const current = readAuditHead(folder)?.file;
  const months = logFiles(folder).filter(
    (file) => file < logNameOf(request.before) && (current === undefined || file < current),
  );
  if (months.length === 0) return kept;
  if (key === undefined) throw altered(AUDIT_KEY, 'the key is missing');
  let end = chainStart(retired);
  const closing = months.map((file): RetiringMonth => {
    const summary = summarize(folder, file, end, key, request.now);
    end = { seq: summary.last_seq, hash: summary.last_hash };
    return { action: 'retire', summary, bytes: summary.bytes };
  });
  return [...kept, ...closing];
}

/**
 * Retires the planned months under the lock of the log. For each month the compressed lines are written first, then the summary,
 * then the log is removed: a process that is killed in between leaves a valid log, and the next retirement removes what is left.
 */
export function retireMonths(
  home: Home,
  request: RetireRequest,
  assertUnchanged: (months: readonly RetiringMonth[]) => void,
): Promise<readonly RetiredMonth[]> {
  const folder = home.at(AUDIT_FOLDER);
  return withLock(auditLock(folder), () => {
    const months = planRetirement(home, request);
    assertUnchanged(months);
    removeLeftovers(folder);
    if (readAuditHead(folder) === undefined)
      throw altered('head.json', 'the log does not continue after the retired months');
    const key = readAuditKey(folder);
    if (key === undefined) throw altered(AUDIT_KEY, 'the key is missing');
    return months.map(({ action, summary }) =>
      action === 'retire' ? closeMonth(folder, summary, request, key) : dropLines(folder, summary, key),
    );
  });
}

function closeMonth(
  folder: string,
  summary: RetiredMonth,
  { deletes }: RetireRequest,
  key: Uint8Array,
): RetiredMonth {
  const log = join(folder, logNameOf(summary.month));
  const kept = deletes ? null : keepLines(folder, summary.month, readBytes(log));
  const closed = resealRetired({ ...summary, kept }, key);
  writeSummary(folder, closed);
  rmSync(log);
  return closed;
}

/** The summary is replaced first, so that it never names lines that are missing. */
function dropLines(folder: string, summary: RetiredMonth, key: Uint8Array): RetiredMonth {
  const closed = resealRetired({ ...summary, kept: null }, key);
  writeSummary(folder, closed);
  if (summary.kept !== null) rmSync(join(folder, summary.kept), { force: true });
  return closed;
}

function writeSummary(folder: string, summary: RetiredMonth): void {
  writeFileDurably(join(folder, retiredMonthName(summary.month)), `${JSON.stringify(summary, null, 2)}\n`);
}

/** Removes the logs of retired months that a killed retirement left. Contract: the summaries were verified. */
function removeLeftovers(folder: string): void {
  for (const { summary } of readRetired(folder)) {
    if (summary === undefined) continue;
    const log = join(folder, logNameOf(summary.month));
    if (existsSync(log) && sha256(readBytes(log)) === summary.sha256) rmSync(log);
  }
}

/** Checks the lines of a month and counts them. */
function summarize(
  folder: string,
  file: string,
  start: { readonly seq: number; readonly hash: string },
  key: Uint8Array,
  now: string,
): RetiredMonth {
  const content = readBytes(join(folder, file));
  const lines = checkedLines(file, content, start, key);
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined) throw altered(file, 'it has no lines');
  const calls = lines.filter(({ phase }) => phase === 'end');
  const lost = lines.filter(({ note }) => note === HEAD_LOST).length;
  const commands = new Map<string, number>();
  for (const { command } of calls)
    commands.set(command ?? 'unknown', (commands.get(command ?? 'unknown') ?? 0) + 1);
  return sealRetired(
    {
      format: 'deed.audit.retired/1',
      month: file.slice('audit-'.length, -'.jsonl'.length),
      lines: lines.length,
      calls: calls.length,
      failed: calls.filter(({ code }) => code !== null).length,
      commands: Object.fromEntries(commands),
      // Lines before these may be missing. A person who retires the month accepts that, and the summary records it.
      ...(lost > 0 && { heads_lost: lost }),
      first_seq: first.seq,
      last_seq: last.seq,
      first_at: first.at,
      last_at: last.at,
      prev: start.hash,
      first_hash: first.hash,
      last_hash: last.hash,
      bytes: content.length,
      sha256: sha256(content),
      kept: null,
      retired_at: now,
    },
    key,
  );
}

function checkedLines(
  file: string,
  content: Buffer,
  start: { readonly seq: number; readonly hash: string },
  key: Uint8Array,
): readonly AuditLine[] {
  let previous = start;
  return content
    .toString('utf8')
    .split('\n')
    .filter((text) => text !== '')
    .map((text, index) => {
      const line = parseLine(text);
      const problem = checkText(text, previous, key);
      if (line === undefined || problem !== undefined)
        throw altered(`${file} line ${index + 1}`, problem ?? 'unreadable line');
      previous = line;
      return line;
    });
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function readBytes(path: string): Buffer {
  try {
    return readRange(path, 0, sizeOf(path));
  } catch (error) {
    throw faultFromSystem(error, 'read', path);
  }
}

function altered(where: string, problem: string): Fault {
  return new Fault('E_DAMAGED', `The audit log was altered, so nothing was retired: ${where}: ${problem}.`, {
    hint: 'Run "audit verify" to see every problem. A summary would hide them.',
    details: { where, problem },
  });
}
