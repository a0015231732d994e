import { ANCHOR, hasAuditAnchor, isAnchorMissing } from './audit-anchor.ts';
import { CHANGED_LINE, checkText } from './audit-chain.ts';
import { describeTorn, compareWithHead, TORN, type AuditEnding } from './audit-ending.ts';
import { HEAD_NAME, readAuditHead, type AuditHead } from './audit-head.ts';
import { readAuditKey } from './audit-key.ts';
import { AUDIT_FOLDER, HEAD_LOST } from './audit-log.ts';
import { hasLineAt } from './has-line-at.ts';
import { checkKept } from './audit-kept.ts';
import { chainStart, checkRetired, readRetired, type RetiredMonth } from './audit-retired.ts';
import { scanAudit } from './read-audit.ts';
import type { Home } from './home.ts';

/** A place where the log was changed or damaged. */
export interface AuditProblem {
  readonly file: string;
  readonly line: number;
  readonly problem: string;
}

export interface AuditVerification {
  readonly lines: number;
  readonly retired: readonly RetiredMonth[];
  readonly problems: readonly AuditProblem[];
  /** Places where lines were lost because the computer stopped before they were on disk. */
  readonly torn: readonly AuditProblem[];
}

const NO_KEY = 'no key to check it with';

/**
 * Checks the whole chain against its key and its head: the summaries of retired months, then every line. Takes no lock: the head is
 * read first, and the log contains the line of the head before the head is written.
 */
export async function verifyAudit(home: Home): Promise<AuditVerification> {
  const folder = home.at(AUDIT_FOLDER);
  const key = readAuditKey(folder);
  const head = readAuditHead(folder);
  const found = readRetired(folder);
  const problems = verifyRetired(folder, key);
  const torn: AuditProblem[] = [];
  /** Problems after the last line that was flushed; a power loss may be their cause. */
  const late: AuditProblem[] = [];
  const flushed = head?.synced?.seq ?? Infinity;
  let previous = chainStart(found);
  let end = previous;
  let lines = 0;
  for await (const { file, number, text, line } of scanAudit(folder)) {
    lines += 1;
    const problem = key === undefined ? NO_KEY : checkText(text, previous, key);
    if (problem)
      (mayBeTorn(problem, previous.seq, flushed) ? late : problems).push({ file, line: number, problem });
    else if (line?.note === HEAD_LOST)
      problems.push({ file, line: number, problem: 'the head was lost before this line' });
    else if (line?.note?.startsWith(TORN) === true) torn.push({ file, line: number, problem: line.note });
    if (line) previous = line;
    if (late.length === 0) end = previous;
  }
  const ending = head && compareWithHead(folder, key, head, end);
  if (ending === 'torn') {
    const problem = describeTorn(end.seq + 1, head?.seq ?? 0);
    torn.push({ file: head?.file ?? HEAD_NAME, line: lines - late.length, problem });
  } else {
    problems.push(...late);
    const isUsed = key !== undefined || found.length > 0 || hasAuditAnchor(home);
    const problem = describeEnd(head, previous, { lines, isUsed, isAnchored: hasAuditAnchor(home) });
    if (problem !== undefined) problems.push({ file: head?.file ?? HEAD_NAME, line: lines, problem });
  }
  // After any other problem the lines are not where the head says.
  if (head && problems.length === 0 && !matchesHead(folder, head, ending))
    problems.push({ file: HEAD_NAME, line: 1, problem: 'the head does not match the log' });
  if (isAnchorMissing(home, head)) problems.push({ file: ANCHOR, line: 0, problem: 'the file is missing' });
  return { lines, retired: found.flatMap(({ summary }) => summary ?? []), problems, torn };
}

/** Whether the log has the lines that the head names, at the recorded bytes. After a power loss the last one may be missing. */
function matchesHead(folder: string, head: AuditHead, ending: AuditEnding | undefined): boolean {
  const last = ending === 'torn' ? [] : [head];
  return [...last, ...(head.synced ? [head.synced] : [])].every((line) => hasLineAt(folder, head.file, line));
}

/** Whether a problem may come from a power loss: it is after the last flushed line, and not a wrong signature. */
function mayBeTorn(problem: string, previousSeq: number, flushed: number): boolean {
  return previousSeq >= flushed && problem !== CHANGED_LINE && problem !== NO_KEY;
}

/** Checks the retired months: each summary follows from the summary before it, and the lines that were kept are unchanged. */
export function verifyRetired(folder: string, key: Uint8Array | undefined): AuditProblem[] {
  const found = readRetired(folder);
  return found.flatMap((month, index) => {
    const problem =
      key === undefined
        ? NO_KEY
        : (checkRetired(month, chainStart(found.slice(0, index)), key) ??
          (month.summary && checkKept(folder, month.summary)));
    return problem === undefined ? [] : [{ file: month.file, line: 0, problem }];
  });
}

function describeEnd(
  head: AuditHead | undefined,
  end: { readonly seq: number; readonly hash: string },
  { lines, isUsed, isAnchored }: { lines: number; isUsed: boolean; isAnchored: boolean },
): string | undefined {
  if (head === undefined) {
    if (lines > 0) return 'truncated: the head is missing';
    return isUsed ? 'the log is empty, but lines were written before' : undefined;
  }
  if (end.seq < head.seq || (end.seq === head.seq && end.hash !== head.hash))
    return `truncated: the head is at line ${head.seq}, but the log ends at line ${end.seq}`;
  return end.seq === 0 && isAnchored ? 'the log is empty, but lines were written before' : undefined;
}
