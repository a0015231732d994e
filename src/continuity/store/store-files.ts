import { statSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { faultFromSystem } from '../../base/system-fault.ts';
import { writeWhole } from '../../system/durable-file.ts';
import { openReplacementFile, type ReplacementFile } from '../../system/replacement-file.ts';
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
  return writePrivateFile(path, async (file) => {
    // The file is empty and already has its mode.
    await copyTo(file.path);
    return statSync(file.path).size;
  });
}

/** Exports the store to a new private file, one JSON object per line; returns the number of rows. */
export async function exportTo(
  database: Database,
  path: string,
  options: ExportOptions = {},
): Promise<number> {
  return writePrivateFile(path, async ({ descriptor }) => {
    let lines: string[] = [];
    let size = 0;
    const flush = (): void => {
      writeWhole(descriptor, lines.join(''));
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
    return rows;
  });
}

async function writePrivateFile<T>(path: string, write: (file: ReplacementFile) => Promise<T>): Promise<T> {
  let file: ReplacementFile | undefined;
  try {
    file = openReplacementFile(path);
    const result = await write(file);
    file.commit();
    return result;
  } catch (error) {
    throw faultFromSystem(error, 'write', path);
  } finally {
    file?.close();
  }
}
