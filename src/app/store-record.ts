import { closeSync, openSync, writeSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { sha256 } from '../system/digest.ts';
import { systemCode } from '../base/system-fault.ts';
import { readFileIfPresent } from '../system/durable-file.ts';
import { lastCopiedEvent } from './backup-files.ts';
import type { WriteRecord } from '../continuity/database/write-record.ts';
import type { Home } from '../contract/home.ts';

const FOLDER = 'stores';
const WIDTH = 16;

/**
 * The record of a store, in the home of the caller. It is overwritten in place and not flushed: a power loss may leave an older record,
 * which detects fewer lost writes, but never a newer one than the store, which is flushed before. The newest daily copy is a second
 * record of the store of the home.
 */
export function storeRecord(home: Home, path: string): WriteRecord {
  const name = sha256(nameIn(home, path)).slice(0, 24);
  const isCopied = path === home.at('deed.db');
  return {
    read: () => Math.max(readNumber(home.at(FOLDER, name)), isCopied ? lastCopiedEvent(home) : 0),
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

/** A home can be moved with its stores. */
function nameIn(home: Home, path: string): string {
  const own = relative(home.path, path);
  return own.startsWith('..') || isAbsolute(own) ? path : own;
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
