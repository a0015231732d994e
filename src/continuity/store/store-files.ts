import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { faultFromSystem } from '../../base/system-fault.ts';
import { syncFolder, writeWhole } from '../../system/durable-file.ts';
import { temporarySibling } from '../../system/temporary-sibling.ts';
import type { Database } from '../database/database.ts';
import { exportStore, type ExportOptions } from './export-store.ts';

/** Copies the store to a new private file and returns its size; other processes can keep writing. A failure leaves no file. */
export async function backupTo(database: Database, path: string): Promise<number> {
  const { copyTo } = database;
  if (copyTo === undefined) {
    throw new Fault('E_CONFIG', 'This database cannot be copied to a file.', {
      hint: 'Use "store export" instead.',
      details: { reason: 'no-copy' },
    });
  }
  return writePrivateFile(path, async (temporary, file) => {
    // The temporary file is empty and already has its mode.
    await copyTo(temporary);
    fsyncSync(file);
    return statSync(temporary).size;
  });
}

/** Exports the store to a new private file, one JSON object per line; returns the number of rows. */
export async function exportTo(
  database: Database,
  path: string,
  options: ExportOptions = {},
): Promise<number> {
  return writePrivateFile(path, async (_temporary, file) => {
    let lines: string[] = [];
    let size = 0;
    const flush = (): void => {
      writeWhole(file, lines.join(''));
      lines = [];
      size = 0;
    };
    const write = (line: string): void => {
      lines.push(`${line}\n`);
      size += line.length;
      if (size > 256 * 1024) flush();
    };
    const rows = await exportStore(database, write, options);
    flush();
    fsyncSync(file);
    return rows;
  });
}

async function writePrivateFile<T>(
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
