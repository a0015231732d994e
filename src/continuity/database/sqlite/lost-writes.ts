import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../../base/fault.ts';
import type { WriteRecord } from '../write-record.ts';

/** Refuses to create a store in place of one that was written before. */
export function assertNotRemoved(path: string, record: WriteRecord | undefined): void {
  const known = record?.read() ?? 0;
  if (known > 0 && (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0)
    throw lostWrites(path, describeLoss(known, 0));
}

/** Describes which writes a store has lost; undefined if it has all that are recorded. */
export function describeLoss(known: number, last: number): string | undefined {
  if (last >= known) return undefined;
  const has = last === 0 ? 'it contains none' : `it ends at event ${last}`;
  return `writes are missing: event ${known} was stored, but ${has}`;
}

export function lostWrites(path: string, loss: string | undefined): Fault {
  return new Fault('E_DAMAGED', `The database ${path} has lost data: ${loss ?? 'writes are missing'}.`, {
    hint: 'Run "deed store restore --dry-run" to restore the newest backup. To continue with an empty or shortened store on purpose, add --accept-loss.',
    details: { path, reason: 'lost-writes' },
    unchanged: true,
  });
}

export function readLastEvent(connection: DatabaseSync): number {
  const row = connection.prepare('SELECT max(id) AS id FROM events').get();
  return Number(row?.['id'] ?? 0);
}
