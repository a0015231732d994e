import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import * as v from 'valibot';
import { int, record, strictObject } from '../../base/schema.ts';
import { unknownMembers } from '../../base/describe-problem.ts';
import { Fault } from '../../base/fault.ts';
import { systemCode } from '../../base/system-fault.ts';
import { STORE_LIMITS } from '../../continuity/store-limits.ts';
import type { StagedWrite } from '../../work/journal/staged-write.ts';
import { STAGED_COMMANDS } from './stage-log.ts';

const MAX_WRITES = 500;
const MAX_BYTES = 4 * 1024 * 1024;
const CLOCK_SLACK_MS = 1000;

const WRITE_SCHEMA = strictObject({
  command: v.picklist(STAGED_COMMANDS),
  params: record(v.unknown()),
  agent: v.pipe(v.string(), v.minLength(1), v.maxLength(STORE_LIMITS.nameCharacters), v.regex(/^(?!user:)/u)),
  requestId: v.nullable(v.pipe(v.string(), v.minLength(1), v.maxLength(STORE_LIMITS.nameCharacters))),
  nowMs: int(),
  drawn: v.pipe(
    v.array(v.pipe(v.string(), v.regex(/^[0-9a-f]{2,64}$/u))),
    v.maxLength(STORE_LIMITS.pushParts + 1),
  ),
});

/** Reads what a run logged. The file is the agent's: links, pipes, floods and nonsense are refused. */
export function readStaged(path: string, startedAtMs: number, nowMs: number): readonly StagedWrite[] {
  const text = readPlainFile(path);
  if (text === undefined) return [];
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length > MAX_WRITES) throw denied(`${lines.length} of them are more than ${MAX_WRITES}`);
  return lines.map((line, index) => {
    const write = v.safeParse(WRITE_SCHEMA, parse(line));
    const where = `number ${index + 1}`;
    if (!write.success) throw denied(`${where}: ${checkScope(write.issues[0])} is not as it must be`);
    const { nowMs: at } = write.output;
    if (at < startedAtMs - CLOCK_SLACK_MS || at > nowMs + CLOCK_SLACK_MS)
      throw denied(`${where} is not of the time of the run`);
    return write.output as unknown as StagedWrite;
  });
}

/** An unknown member is a problem of the object that has it. */
function checkScope(issue: v.BaseIssue<unknown>): string {
  return (unknownMembers(issue) === undefined ? v.getDotPath(issue) : null) ?? 'it';
}

function readPlainFile(path: string): string | undefined {
  let file: number | undefined;
  try {
    // Neither follows a link nor waits for a pipe's other end.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile()) throw denied('their log is no file');
    if (stats.size > MAX_BYTES) throw denied(`they have more than ${MAX_BYTES} bytes`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error instanceof Fault ? error : denied('their log cannot be read');
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
  return new Fault('E_DENIED', `The journal writes of the run do not count: ${why}.`);
}
