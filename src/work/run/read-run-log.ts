import { closeSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { isPlainObject } from '../../base/json.ts';
import { systemCode } from '../../base/system-fault.ts';
import { LineSplitter } from '../../system/line-splitter.ts';
import { openFile } from '../../system/open-file.ts';
import { readDescriptor } from '../workspace/read-content.ts';
import { readFirstState, readRunState } from './run-state.ts';
import { isOwnerAlive } from './owner.ts';
import { runFolder } from './run-folder.ts';
import { RUN_LOG, type LogLine } from './run-log.ts';

/** Reads the log of a run from where the last call stopped; an incomplete line is left for the next call. */
export interface RunLogReader {
  readonly read: () => readonly LogLine[];
}

export function createRunLogReader(home: string, runId: string): RunLogReader {
  const path = join(runFolder(home, runId), RUN_LOG);
  const lines = new LineSplitter();
  let offset = 0;
  return {
    read: () => {
      const file = openIfPresent(path);
      if (file === undefined) return [];
      try {
        const found: string[] = [];
        for (const piece of readDescriptor(file, offset)) {
          offset += piece.length;
          found.push(...lines.push(new Uint8Array(piece)));
        }
        return found.flatMap(parseLogLine);
      } finally {
        closeSync(file);
      }
    },
  };
}

/** `starting`: it has written nothing yet. `ended`: it is complete, or its process was killed. */
export type LogPhase = 'starting' | 'open' | 'ended';

/** Whether more lines may be added to the log of a run. */
export function logPhase(home: string, runId: string): LogPhase {
  const state = readRunState(home, runId) ?? readFirstState(home, runId);
  if (state === undefined)
    return existsSync(join(runFolder(home, runId), 'RECEIPT.json')) ? 'ended' : 'starting';
  return state.status === 'waiting' || !isOwnerAlive(state.owner) ? 'ended' : 'open';
}

function openIfPresent(path: string): number | undefined {
  try {
    return openFile(path, constants.O_NOFOLLOW);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A process that was killed may have left half a line. */
export function parseLogLine(text: string): readonly LogLine[] {
  try {
    const line: unknown = JSON.parse(text);
    const isLine = isPlainObject(line) && typeof line.text === 'string' && typeof line.at === 'string';
    return isLine ? [line as unknown as LogLine] : [];
  } catch {
    return [];
  }
}
