import { join } from 'node:path';
import { bisectLines } from '../system/bisect-lines.ts';
import { readLines } from '../system/read-lines.ts';
import { readLinesBackward } from '../system/read-lines-backward.ts';
import { parseLine, type AuditLine } from './audit-chain.ts';
import { logFiles } from './audit-files.ts';
import { AUDIT_FOLDER } from './audit-log.ts';
import type { Home } from './home.ts';

/** Reads every line in order, oldest first; lines that are not audit lines are skipped. */
export async function* readAudit(home: Home): AsyncGenerator<AuditLine> {
  for await (const { line } of scanAudit(home.at(AUDIT_FOLDER))) if (line) yield line;
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

interface ScannedLine {
  readonly file: string;
  readonly number: number;
  readonly text: string;
  readonly line: AuditLine | undefined;
}

/** Reads every line with its place, oldest first; the line is undefined when it cannot be parsed. */
export async function* scanAudit(folder: string): AsyncGenerator<ScannedLine> {
  for (const file of logFiles(folder)) {
    let number = 0;
    for await (const text of readLines(join(folder, file))) {
      number += 1;
      yield { file, number, text, line: parseLine(text) };
    }
  }
}
