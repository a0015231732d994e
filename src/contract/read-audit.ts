import { statSync } from 'node:fs';
import { join } from 'node:path';
import { bisectLines } from '../system/bisect-lines.ts';
import { readLines } from '../system/read-lines.ts';
import { readLinesBackward } from '../system/read-lines-backward.ts';
import { CHAIN_START, checkLine, parseLine, type AuditLine } from './audit-chain.ts';
import { HEAD_NAME, readSettledHead } from './audit-head.ts';
import { AUDIT_FOLDER, AUDIT_KEY, HEAD_LOST, logFiles } from './audit-log.ts';
import type { Home } from './home.ts';
import { readSecret } from '../system/secret.ts';

/** A place where the log was changed or damaged. */
export interface AuditProblem {
  readonly file: string;
  readonly line: number;
  readonly problem: string;
}

/** Reads every line in order, oldest first; lines that are not audit lines are skipped. */
export async function* readAudit(home: Home): AsyncGenerator<AuditLine> {
  for await (const { line } of scan(home.at(AUDIT_FOLDER))) if (line) yield line;
}

/**
 * Reads lines from the newest to the oldest, optionally starting before a sequence number. A caller that stops early reads only
 * what it needs, for any length of the log.
 */
export function* readAuditNewestFirst(home: Home, beforeSeq = Infinity): Generator<AuditLine> {
  const folder = home.at(AUDIT_FOLDER);
  for (const file of logFiles(folder).toReversed()) {
    const path = join(folder, file);
    const end =
      beforeSeq === Infinity
        ? undefined
        : bisectLines(path, (text) => {
            const line = parseLine(text);
            return line && line.seq >= beforeSeq;
          });
    for (const text of readLinesBackward(path, end)) {
      const line = parseLine(text);
      if (line && line.seq < beforeSeq) yield line;
    }
  }
}

/** Checks the whole chain against its key and its head. */
export async function verifyAudit(home: Home): Promise<{ lines: number; problems: readonly AuditProblem[] }> {
  const folder = home.at(AUDIT_FOLDER);
  const key = readSecret(join(folder, AUDIT_KEY));
  const head = await readSettledHead(folder);
  const problems: AuditProblem[] = [];
  let lines = 0;
  let previous = { seq: 0, hash: CHAIN_START };
  for await (const { file, number, line } of scan(folder)) {
    lines += 1;
    const problem = key === undefined ? 'no key to check it with' : checkLine(line, previous, key);
    if (problem) problems.push({ file, line: number, problem });
    else if (line?.note === HEAD_LOST)
      problems.push({ file, line: number, problem: 'the head was lost before this line' });
    if (line) previous = line;
  }
  if (
    head === undefined
      ? lines > 0
      : previous.seq < head.seq || (previous.seq === head.seq && previous.hash !== head.hash)
  ) {
    const expected =
      head === undefined
        ? 'the head is missing'
        : `the head is at line ${head.seq}, the log ends at line ${previous.seq}`;
    problems.push({ file: head?.file ?? HEAD_NAME, line: lines, problem: `cut tail: ${expected}` });
  }
  return { lines, problems };
}

/** A quick check for doctor: whether the end of the log matches the head. */
export async function isAuditTailValid(home: Home): Promise<boolean> {
  const folder = home.at(AUDIT_FOLDER);
  const head = await readSettledHead(folder);
  if (head === undefined) return logFiles(folder).length === 0;
  const log = statSync(join(folder, head.file), { throwIfNoEntry: false });
  return log !== undefined && log.size >= head.bytes;
}

interface ScannedLine {
  readonly file: string;
  readonly number: number;
  readonly line: AuditLine | undefined;
}

async function* scan(folder: string): AsyncGenerator<ScannedLine> {
  for (const file of logFiles(folder)) {
    let number = 0;
    for await (const text of readLines(join(folder, file))) {
      number += 1;
      yield { file, number, line: parseLine(text) };
    }
  }
}
