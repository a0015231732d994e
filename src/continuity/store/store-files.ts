import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { faultFromSystem } from '../../base/system-fault.ts';
import { syncFolder, writeWhole } from '../../system/durable-file.ts';
import { readLines } from '../../system/read-lines.ts';
import { temporarySibling } from '../../system/temporary-sibling.ts';
import type { Database } from '../database/database.ts';
import { exportStore } from './export-store.ts';
import { importStore } from './import-store.ts';

/** Copies the store to a new private file while others go on writing; tells its size. A failure leaves no file behind. */
export async function backupTo(database: Database, path: string): Promise<number> {
  const { copyTo } = database;
  if (copyTo === undefined) {
    throw new Fault('E_CONFIG', 'The database of the store cannot be copied into a file.', {
      hint: 'Write its rows with "store export".',
      details: { reason: 'no-copy' },
    });
  }
  return writePrivately(path, async (temporary, file) => {
    // The copy goes into a file that is empty and has its mode already.
    await copyTo(temporary);
    fsyncSync(file);
    return statSync(temporary).size;
  });
}

/** Writes the store to a new private file, one JSON object a line; tells how many rows. */
export async function exportTo(database: Database, path: string): Promise<number> {
  return writePrivately(path, async (_temporary, file) => {
    let lines: string[] = [];
    let size = 0;
    const flush = (): void => {
      writeWhole(file, lines.join(''));
      lines = [];
      size = 0;
    };
    const rows = await exportStore(database, (line) => {
      lines.push(`${line}\n`);
      size += line.length;
      if (size > 256 * 1024) flush();
    });
    flush();
    fsyncSync(file);
    return rows;
  });
}

/** Fills an empty store from an export; tells how many rows. */
export function importFrom(database: Database, path: string): Promise<number> {
  return importStore(database, readLines(path));
}

async function writePrivately<T>(
  path: string,
  write: (temporary: string, file: number) => Promise<T>,
): Promise<T> {
  const temporary = temporarySibling(path, 'partial');
  let file: number | undefined;
  try {
    file = openSync(temporary, 'wx', 0o600);
    const result = await write(temporary, file);
    renameSync(temporary, path);
    syncFolder(dirname(path));
    return result;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw faultFromSystem(error, 'write', path);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
