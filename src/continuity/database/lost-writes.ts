import { Fault } from '../../base/fault.ts';

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
