import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import * as v from 'valibot';
import { int, record, strictObject } from '../../base/schema.ts';
import { unknownMembers } from '../../base/describe-problem.ts';
import { Fault } from '../../base/fault.ts';
import { ID_TAIL } from '../../base/ids.ts';
import { printable } from '../../base/text.ts';
import { systemCode } from '../../base/system-fault.ts';
import { STORE_LIMITS } from '../../continuity/store-limits.ts';
import type { StagedWrite } from '../../work/journal/staged-write.ts';
import { STAGED_COMMANDS } from './staged-log.ts';

const MAX_WRITES = 500;
const MAX_BYTES = 4 * 1024 * 1024;
const CLOCK_SLACK_MS = 1000;
/** The tail of an id; version 0.1.0 recorded 12 hex digits. */
const TAIL = new RegExp(`^(?:${ID_TAIL}|[0-9a-f]{12})$`, 'u');

const WRITE_SCHEMA = strictObject({
  command: v.picklist(STAGED_COMMANDS),
  params: record(v.unknown()),
  agent: v.pipe(v.string(), v.minLength(1), v.maxLength(STORE_LIMITS.nameCharacters), v.regex(/^(?!user:)/u)),
  requestId: v.nullable(v.pipe(v.string(), v.minLength(1), v.maxLength(STORE_LIMITS.nameCharacters))),
  nowMs: int(),
  drawn: v.pipe(v.array(v.pipe(v.string(), v.regex(TAIL))), v.maxLength(STORE_LIMITS.pushParts + 1)),
});

export interface StagedLimits {
  /** The names under which the run may write. */
  readonly agents: readonly string[];
  readonly startedAtMs: number;
  readonly nowMs: number;
}

/** Reads the staged writes of a run. The agent controls the file: links, pipes, oversized files and invalid lines are rejected. */
export function readStaged(
  path: string,
  { agents, startedAtMs, nowMs }: StagedLimits,
): readonly StagedWrite[] {
  const text = readPlainFile(path);
  if (text === undefined) return [];
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length > MAX_WRITES) throw denied(`${lines.length} writes, at most ${MAX_WRITES} are allowed`);
  return lines.map((line, index) => {
    const write = v.safeParse(WRITE_SCHEMA, parse(line));
    const where = `write ${index + 1}`;
    if (!write.success) throw denied(`${where}: ${placeOf(write.issues[0])} is invalid`);
    const { nowMs: at, agent } = write.output;
    if (!agents.includes(agent)) throw denied(`${where}: "${printable(agent)}" is not the agent of the run`);
    if (at < startedAtMs - CLOCK_SLACK_MS || at > nowMs + CLOCK_SLACK_MS)
      throw denied(`${where}: nowMs is outside the time of the run`);
    return write.output as unknown as StagedWrite;
  });
}

/** For an unknown field, the path of its object. */
function placeOf(issue: v.BaseIssue<unknown>): string {
  return (unknownMembers(issue) === undefined ? v.getDotPath(issue) : null) ?? 'the line';
}

function readPlainFile(path: string): string | undefined {
  let file: number | undefined;
  try {
    // Neither follows a symlink nor blocks on a pipe.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile()) throw denied('the log is not a regular file');
    if (stats.size > MAX_BYTES) throw denied(`the log has more than ${MAX_BYTES} bytes`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error instanceof Fault ? error : denied('the log cannot be read');
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

function denied(why: string): Fault {
  return new Fault('E_DENIED', `Invalid journal writes: ${why}.`);
}
