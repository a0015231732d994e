import { Fault } from '../../base/fault.ts';
import { readFileIfPresent, writeFileDurably } from '../../system/durable-file.ts';

const MAX_BYTES = 64 * 1024 * 1024;

/** Reads a stored document; undefined if the file does not exist. */
// eslint-disable-next-line typescript/no-unnecessary-type-parameters -- deed wrote the file; the only cast is here
export function readDocument<T>(path: string): T | undefined {
  const text = readFileIfPresent(path, MAX_BYTES);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new Fault('E_DAMAGED', `${path} is corrupt.`, { details: { path }, cause: error });
  }
}

export function writeDocument(path: string, value: unknown): void {
  writeFileDurably(path, `${JSON.stringify(value, null, 2)}\n`);
}
