import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { LIMITS } from '../../base/limits.ts';
import { faultFromSystem, systemCode } from '../../base/system-fault.ts';
import type { World } from '../../contract/world.ts';

/** Reads the parameters given as JSON: `@file`, `-` for standard input, or the text itself. */
export async function readInput(source: string, world: World): Promise<Record<string, unknown>> {
  const bytes = await readBytes(source, world);
  const text = decode(bytes, source);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(
      source,
      `is not JSON: ${error instanceof Error ? error.message.slice(0, 120) : 'unreadable'}`,
      error,
    );
  }
  if (!isPlainObject(value)) throw invalid(source, 'must be a JSON object with the parameters as members');
  return value;
}

async function readBytes(source: string, world: World): Promise<Uint8Array> {
  if (source === '-') return world.readStdin(LIMITS.inputBytes);
  if (source.startsWith('@')) return readInputFile(resolve(world.cwd, source.slice(1)), source);
  return Buffer.from(source);
}

function readInputFile(path: string, source: string): Uint8Array {
  try {
    const { size } = statSync(path);
    if (size > LIMITS.inputBytes)
      throw invalid(source, `has ${size} bytes; at most ${LIMITS.inputBytes} are read`);
    return readFileSync(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') {
      throw new Fault('E_NOT_FOUND', `--input: there is no file ${path}.`, {
        details: { field: 'input', path },
        cause: error,
      });
    }
    throw faultFromSystem(error, 'read', path);
  }
}

function decode(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw invalid(source, 'is not valid UTF-8', error);
  }
}

function invalid(source: string, problem: string, cause?: unknown): Fault {
  const shown = source === '-' ? 'standard input' : source.startsWith('@') ? source : 'the text';
  return new Fault('E_VALIDATION', `--input: ${shown} ${problem}.`, {
    hint: 'Give one JSON object, for example --input \'{"key":"value"}\'.',
    details: { field: 'input', problem },
    cause,
  });
}
