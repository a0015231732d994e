/** An index of events by kind, which also serves the two kinds that had their own. */
export const RETENTION_MIGRATION: readonly string[] = [
  'CREATE INDEX events_kind ON events (kind, id)',
  'DROP INDEX events_loops',
  'DROP INDEX events_assignments',
];
