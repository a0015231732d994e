import { EXPORT_TABLES, insertRow, type ExportTable } from '../queries/export-tables.ts';
import { insertEvent } from '../queries/events.ts';
import { insertMemory } from '../queries/memories.ts';
import type { AnyQuery, Query, Values } from '../query.ts';

/** An insert whose new id its caller needs, and the same insert with an id that was assigned before. */
export interface NumberedInsert {
  readonly insert: AnyQuery;
  readonly sequence: 'event_ids' | 'memory_ids';
  readonly withId: Query<Values, unknown>;
}

export const NEW_EVENT: NumberedInsert = {
  insert: insertEvent,
  sequence: 'event_ids',
  withId: insertRow(tableOf('events')),
};

export const NEW_MEMORY: NumberedInsert = {
  insert: insertMemory,
  sequence: 'memory_ids',
  withId: insertRow(tableOf('memories')),
};

function tableOf(name: string): ExportTable {
  return EXPORT_TABLES.find((table) => table.name === name) as ExportTable;
}
