import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../../base/fault.ts';
import { isBusy } from './sqlite-fault.ts';

/**
 * Keeps all other processes from reading and writing a store until the returned function is called; E_CONFLICT if one has it open. The
 * write-ahead log is merged into the file, so that the file alone is the whole store. A damaged store is not locked: no process can use it.
 */
export function lockStore(path: string): () => void {
  if (!existsSync(path)) return () => undefined;
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(path, { timeout: 1000 });
    connection.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
    return () => connection?.close();
  } catch (error) {
    connection?.close();
    if (!isBusy(error)) return () => undefined;
    throw new Fault('E_CONFLICT', `The database ${path} is in use by another process.`, {
      hint: 'Stop the programs that use it, then retry.',
      details: { path, reason: 'in-use' },
    });
  }
}
