import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { findDuplicateMember } from '../../base/find-duplicate-member.ts';
import { describeInexact, findInexactNumber } from '../../base/find-inexact-number.ts';
import { isDeeperThan, isPlainObject } from '../../base/json.ts';
import { LIMITS } from '../../base/limits.ts';
import { sleep } from '../../base/sleep.ts';
import { faultFromSystem, systemCode } from '../../base/system-fault.ts';
import { excerpt } from '../../base/text.ts';
import type { System } from '../../contract/system.ts';

/** Reads parameters as JSON: `@file`, `-` for standard input, or the JSON text. */
export async function readInput(source: string, system: System): Promise<Record<string, unknown>> {
  const text = decode(await readBytes(source, system), source);
  const value = parse(text, source);
  if (!isPlainObject(value)) throw invalid(source, 'must be a JSON object with the parameters as members');
  if (isDeeperThan(value, LIMITS.inputDepth)) throw invalid(source, 'is nested too deeply');
  const twice = findDuplicateMember(text);
  if (twice !== undefined)
    throw invalid(source, `has the member "${excerpt(twice)}" more than once; pass each parameter once`);
  const inexact = findInexactNumber(text);
  if (inexact !== undefined) throw invalid(source, describeInexact(inexact));
  return value;
}

async function readBytes(source: string, system: System): Promise<Uint8Array> {
  if (source === '-') return system.readStdin(LIMITS.inputBytes);
  if (source.startsWith('@')) return readInputFile(resolve(system.cwd, source.slice(1)), source);
  return Buffer.from(source);
}

async function readInputFile(path: string, source: string): Promise<Uint8Array> {
  let file: number | undefined;
  try {
    // Opening a named pipe without a writer would block, and no signal would end the process.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return await readBounded(file, source);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') {
      throw new Fault('E_NOT_FOUND', `--input: ${path} does not exist.`, {
        hint: 'Pass the path of an existing file after the @.',
        details: { field: 'input', path },
        cause: error,
      });
    }
    throw faultFromSystem(error, 'read', path);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** How long the writer of a pipe may take until its first byte, and between two. */
const PIPE_WAIT_MS = 5000;
const PIPE_POLL_MS = 10;

/** Reads in chunks, because the size of a pipe or a device is not known. */
async function readBounded(file: number, source: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  let waitedMs = 0;
  for (;;) {
    const chunk = readChunk(file);
    if (chunk === 'end' && (size > 0 || !fstatSync(file).isFIFO())) return Buffer.concat(chunks);
    if (typeof chunk === 'string') {
      if (waitedMs >= PIPE_WAIT_MS) throw invalid(source, `sent no data for ${PIPE_WAIT_MS} ms`);
      await sleep(PIPE_POLL_MS);
      waitedMs += PIPE_POLL_MS;
      continue;
    }
    waitedMs = 0;
    size += chunk.length;
    if (size > LIMITS.inputBytes) throw invalid(source, `has more than ${LIMITS.inputBytes} bytes`);
    chunks.push(chunk);
  }
}

/** A pipe is at its end as long as no process writes to it, and has no data yet while one does. */
function readChunk(file: number): Buffer | 'end' | 'no data' {
  const chunk = Buffer.allocUnsafe(1024 * 1024);
  try {
    const count = readSync(file, chunk);
    return count === 0 ? 'end' : chunk.subarray(0, count);
  } catch (error) {
    if (systemCode(error) === 'EAGAIN') return 'no data';
    throw error;
  }
}

function decode(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw invalid(source, 'is not valid UTF-8', error);
  }
}

/** The runtime's message quotes the JSON, which may contain a secret, so it is only the cause. */
function parse(text: string, source: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw invalid(source, text.trim() === '' ? 'is empty' : 'is not JSON', error);
  }
}

function invalid(source: string, problem: string, cause?: unknown): Fault {
  const shown = source === '-' ? 'standard input' : source.startsWith('@') ? source : 'the value';
  return new Fault('E_VALIDATION', `--input: ${shown} ${problem}.`, {
    hint: 'Pass one JSON object, for example --input \'{"key":"value"}\', --input @file to read a file, or - for standard input.',
    details: { field: 'input', problem },
    cause,
  });
}
