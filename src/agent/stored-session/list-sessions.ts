import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { listNames } from '../../system/list-names.ts';
import { isLocked } from '../../system/lock.ts';
import { readLinesBackward } from '../../system/read-lines-backward.ts';
import type { SessionRecord, SessionTotals } from '../session-record.ts';
import { parseRecord } from './record-schema.ts';
import { lockFile } from './session-file.ts';

/**
 * `running`: a process works on it. `waiting`: a person must approve a tool call. `interrupted`: its process was killed. `failed`: it ended without a report of the model.
 * `damaged`: its file cannot be read.
 */
export type SessionStatus = 'running' | 'waiting' | 'interrupted' | 'succeeded' | 'failed' | 'damaged';

/** A stored session in a list. */
export interface SessionSummary {
  readonly id: string;
  readonly status: SessionStatus;
  readonly updatedAt: number;
  readonly bytes: number;
  readonly totals: SessionTotals;
}

const FILE = /^([0-9a-f]{32})\.jsonl$/u;
const NOTHING: SessionTotals = { turns: 0, tokens: 0, costUsd: 0 };

/** Lists the stored sessions of a folder, most recently changed first. Reads only the end of each file. */
export function listSessions(folder: string): readonly SessionSummary[] {
  return listNames(folder)
    .flatMap((name) => {
      const id = FILE.exec(name)?.[1];
      const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
      return id === undefined || stats === undefined ? [] : [{ id, stats }];
    })
    .toSorted((a, b) => b.stats.mtimeMs - a.stats.mtimeMs || (a.id < b.id ? 1 : -1))
    .map(({ id, stats }) => ({
      id,
      updatedAt: stats.mtimeMs,
      bytes: stats.size,
      // A folder or a pipe in the place of the file is damage, and must not be opened.
      ...(stats.isFile() ? describeEnd(folder, id) : { status: 'damaged', totals: NOTHING }),
    }));
}

function describeEnd(folder: string, id: string): Pick<SessionSummary, 'status' | 'totals'> {
  const isRunning = isLocked(lockFile(folder, id));
  try {
    const { last, totals } = readEnd(join(folder, `${id}.jsonl`));
    if (isRunning) return { status: 'running', totals };
    if (last?.type === 'session.suspended') return { status: 'waiting', totals };
    if (last?.type !== 'session.finished') return { status: 'interrupted', totals };
    return { status: last.result.success ? 'succeeded' : 'failed', totals };
  } catch {
    return { status: 'damaged', totals: NOTHING };
  }
}

/** Reads the last record and the last totals. */
function readEnd(path: string): {
  readonly last: SessionRecord | undefined;
  readonly totals: SessionTotals;
} {
  let last: SessionRecord | undefined;
  let isTail = true;
  for (const line of readLinesBackward(path)) {
    const record = tryParse(line, isTail);
    isTail = false;
    if (record === undefined) continue;
    last ??= record;
    if ('totals' in record) return { last, totals: record.totals };
  }
  return { last, totals: NOTHING };
}

/** The last line may be incomplete. */
function tryParse(line: string, isTail: boolean): SessionRecord | undefined {
  try {
    return parseRecord(line);
  } catch (error) {
    if (isTail) return undefined;
    throw error;
  }
}
