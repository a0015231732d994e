import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readLinesBackward } from '../../system/read-lines-backward.ts';
import { parseLogLine } from './read-run-log.ts';
import { runFolder } from './run-folder.ts';
import { RUN_LOG, type LogLine } from './run-log.ts';

export interface LogTail {
  readonly lines: readonly LogLine[];
  /** Whether the log has earlier lines. */
  readonly isCut: boolean;
}

/** Reads the last lines of the log of a run, within a number of lines and characters. */
export function readLogTail(
  home: string,
  runId: string,
  limit: { readonly lines: number; readonly characters: number },
): LogTail {
  const path = join(runFolder(home, runId), RUN_LOG);
  if (!existsSync(path)) return { lines: [], isCut: false };
  const lines: LogLine[] = [];
  let characters = 0;
  for (const text of readLinesBackward(path)) {
    const [line] = parseLogLine(text);
    if (line === undefined) continue;
    characters += line.text.length;
    if (lines.length >= limit.lines || characters > limit.characters) return { lines, isCut: true };
    lines.unshift(line);
  }
  return { lines, isCut: false };
}
