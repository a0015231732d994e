import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../../base/fault.ts';
import { errorCode } from './sqlite-fault.ts';

const BUSY = new Set([5, 6]);

/** Rejects if another process has the store open. A damaged store is not checked: no process can use it. */
export function assertUnused(path: string): void {
  if (!existsSync(path)) return;
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(path, { timeout: 1000 });
    connection.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
  } catch (error) {
    if (!BUSY.has((errorCode(error) ?? 0) & 0xff)) return;
    throw new Fault('E_CONFLICT', `The database ${path} is in use by another process.`, {
      hint: 'Stop the programs that use it, then retry.',
      details: { path, reason: 'in-use' },
    });
  } finally {
    connection?.close();
  }
}
