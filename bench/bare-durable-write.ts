/**
 * The minimum that a push must do: an audit line on disk, one transaction on disk, a second line. Compiled on its own, it shows
 * how much of a push is disk and runtime, and how much is deed.
 */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const folder = process.argv[2] ?? '.';

record({ flush: true });
const database = new DatabaseSync(`${folder}/bare.db`, { enableForeignKeyConstraints: true });
database.exec('PRAGMA journal_mode = WAL');
database.exec('CREATE TABLE IF NOT EXISTS event (id INTEGER PRIMARY KEY, body TEXT NOT NULL)');
database.exec('BEGIN IMMEDIATE');
database.prepare('INSERT INTO event (body) VALUES (?)').run('{"kind":"progress","message":"x"}');
database.exec('COMMIT');
record({ flush: false });
writeSync(1, '{"ok":true}\n');

function record({ flush }: { readonly flush: boolean }): void {
  write('bare.log', 'a', 400, flush);
  write('bare.head', 'w', 256, false);
}

function write(name: string, flags: 'a' | 'w', bytes: number, flush: boolean): void {
  const file = openSync(`${folder}/${name}`, flags, 0o600);
  writeSync(file, 'x'.repeat(bytes));
  if (flush) fsyncSync(file);
  closeSync(file);
}
