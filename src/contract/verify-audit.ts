import { join } from 'node:path';
import { readSecret } from '../system/secret.ts';
import { hasAuditAnchor } from './audit-anchor.ts';
import { checkLine } from './audit-chain.ts';
import { HEAD_NAME, readSettledHead, type AuditHead } from './audit-head.ts';
import { AUDIT_FOLDER, AUDIT_KEY, HEAD_LOST } from './audit-log.ts';
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
}

const NO_KEY = 'no key to check it with';

/** Checks the whole chain against its key and its head: the summaries of retired months, then every line. */
export async function verifyAudit(home: Home): Promise<AuditVerification> {
  const folder = home.at(AUDIT_FOLDER);
  const key = readSecret(join(folder, AUDIT_KEY));
  const head = await readSettledHead(folder);
  const found = readRetired(folder);
  const problems = verifyRetired(folder, key);
  let previous = chainStart(found);
  let lines = 0;
  for await (const { file, number, line } of scanAudit(folder)) {
    lines += 1;
    const problem = key === undefined ? NO_KEY : checkLine(line, previous, key);
    if (problem) problems.push({ file, line: number, problem });
    else if (line?.note === HEAD_LOST)
      problems.push({ file, line: number, problem: 'the head was lost before this line' });
    if (line) previous = line;
  }
  const isUsed = key !== undefined || found.length > 0 || hasAuditAnchor(home);
  const ending = verifyEnd(head, previous, { lines, isUsed, isAnchored: hasAuditAnchor(home) });
  if (ending !== undefined) problems.push({ file: head?.file ?? HEAD_NAME, line: lines, problem: ending });
  return { lines, retired: found.flatMap(({ summary }) => summary ?? []), problems };
}

/** Checks the retired months: each summary follows from the one before it, and the lines that were kept are unchanged. */
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

function verifyEnd(
  head: AuditHead | undefined,
  end: { readonly seq: number; readonly hash: string },
  { lines, isUsed, isAnchored }: { lines: number; isUsed: boolean; isAnchored: boolean },
): string | undefined {
  if (head === undefined) {
    if (lines > 0) return 'cut tail: the head is missing';
    return isUsed ? 'the log is empty, but lines were written before' : undefined;
  }
  if (end.seq < head.seq || (end.seq === head.seq && end.hash !== head.hash))
    return `cut tail: the head is at line ${head.seq}, the log ends at line ${end.seq}`;
  return end.seq === 0 && isAnchored ? 'the log is empty, but lines were written before' : undefined;
}
