import { define } from '../query.ts';

/** Continues the numbers of events and memories after those that an import brought along. */
export const ADVANCE_IDS = define('advanceIds')((db) =>
  db.selectNoFrom((eb) => eb.fn('advance_ids', []).as('done')),
);
