import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../system/digest.ts';
import { systemCode } from '../base/system-fault.ts';
import { readFileIfPresent } from '../system/durable-file.ts';
import type { WriteRecord } from '../continuity/database/write-record.ts';
import type { Home } from '../contract/home.ts';

const FOLDER = 'stores';
const WIDTH = 16;

/**
 * The record of a store, in the home of the caller. It is overwritten in place and not flushed: a power loss may leave an older record,
 * which detects fewer lost writes, but never a newer one than the store, which is flushed before.
 */
export function storeRecord(home: Home, path: string): WriteRecord {
  const name = sha256(path).slice(0, 24);
  return {
    read: () => readNumber(home.at(FOLDER, name)),
    write: (eventId) => {
      try {
        const folder = home.folder(FOLDER);
        writeInPlace(join(folder, name), `${String(eventId).padStart(WIDTH)} ${path}\n`);
      } catch {
        // The write itself succeeded, and the next one is recorded.
      }
    },
  };
}

function readNumber(path: string): number {
  try {
    const number = Number((readFileIfPresent(path) ?? '').slice(0, WIDTH));
    return Number.isSafeInteger(number) ? number : 0;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return 0;
  }
}

function writeInPlace(path: string, text: string): void {
  let file: number;
  try {
    file = openSync(path, 'r+');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    file = openSync(path, 'w', 0o600);
  }
  try {
    writeSync(file, text, 0);
  } finally {
    closeSync(file);
  }
}
