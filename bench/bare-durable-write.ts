/**
 * The least that a push must do: two lines of audit and their head, one transaction, everything on disk. Compiled alone, it tells how
 * much of a push is the disk and the runtime, and how much is deed.
 */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const folder = process.argv[2] ?? '.';

append(400);
const database = new DatabaseSync(`${folder}/bare.db`, { enableForeignKeyConstraints: true });
database.exec('PRAGMA journal_mode = WAL');
database.exec('CREATE TABLE IF NOT EXISTS event (id INTEGER PRIMARY KEY, body TEXT NOT NULL)');
database.exec('BEGIN IMMEDIATE');
database.prepare('INSERT INTO event (body) VALUES (?)').run('{"kind":"progress","message":"x"}');
database.exec('COMMIT');
append(400);
writeSync(1, '{"ok":true}\n');

function append(bytes: number): void {
  for (const [name, flags, size] of [
    ['bare.log', 'a', bytes],
    ['bare.head', 'w', 256],
  ] as const) {
    const file = openSync(`${folder}/${name}`, flags, 0o600);
    writeSync(file, 'x'.repeat(size));
    fsyncSync(file);
    closeSync(file);
  }
}
