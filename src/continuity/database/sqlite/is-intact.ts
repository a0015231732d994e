import { connectReadOnly } from './connect-sqlite.ts';

/** Whether a file is a database in which SQLite finds no damage. */
export function isIntact(path: string): boolean {
  try {
    const connection = connectReadOnly(path);
    try {
      const row = connection.prepare('PRAGMA quick_check(1)').get();
      return Object.values(row ?? {})[0] === 'ok';
    } finally {
      connection.close();
    }
  } catch {
    return false;
  }
}
