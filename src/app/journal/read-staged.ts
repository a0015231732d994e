import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { Fault } from '../../base/fault.ts';
import { systemCode } from '../../base/system-fault.ts';
import { STORE_LIMITS } from '../../continuity/store-limits.ts';
import type { StagedWrite } from '../../work/journal/staged-write.ts';
import { STAGED_COMMANDS } from './stage-log.ts';

const MAX_WRITES = 500;
const MAX_BYTES = 4 * 1024 * 1024;
const CLOCK_SLACK_MS = 1000;

const WRITE_SCHEMA = z.strictObject({
  command: z.enum(STAGED_COMMANDS),
  params: z.record(z.string(), z.unknown()),
  agent: z.string().check(z.minLength(1), z.maxLength(STORE_LIMITS.nameCharacters), z.regex(/^(?!user:)/u)),
  requestId: z.nullable(z.string().check(z.minLength(1), z.maxLength(STORE_LIMITS.nameCharacters))),
  nowMs: z.int(),
  drawn: z
    .array(z.string().check(z.regex(/^[0-9a-f]{2,64}$/u)))
    .check(z.maxLength(STORE_LIMITS.pushParts + 1)),
});

/** Reads what a run logged. The file is the agent's: links, pipes, floods and nonsense are refused. */
export function readStaged(path: string, startedAtMs: number, nowMs: number): readonly StagedWrite[] {
  const text = readPlainFile(path);
  if (text === undefined) return [];
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length > MAX_WRITES) throw denied(`${lines.length} of them are more than ${MAX_WRITES}`);
  return lines.map((line, index) => {
    const write = z.safeParse(WRITE_SCHEMA, parse(line));
    const where = `number ${index + 1}`;
    if (!write.success)
      throw denied(`${where}: ${write.error.issues[0]?.path.join('.') || 'it'} is not as it must be`);
    const { nowMs: at } = write.data;
    if (at < startedAtMs - CLOCK_SLACK_MS || at > nowMs + CLOCK_SLACK_MS)
      throw denied(`${where} is not of the time of the run`);
    return write.data as unknown as StagedWrite;
  });
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
