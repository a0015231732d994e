/** An index of events by kind. It replaces the separate indexes of two kinds. */
export const RETENTION_MIGRATION: readonly string[] = [
  'CREATE INDEX events_kind ON events (kind, id)',
  'DROP INDEX events_loops',
  'DROP INDEX events_assignments',
];
