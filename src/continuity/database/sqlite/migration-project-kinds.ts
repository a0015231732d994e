/**
 * One index for the newest events of any kind in a project. It replaces an index for each of four kinds, which SQLite did not choose:
 * it considered the index by kind as good, and then read the events of all projects for a project without events of that kind.
 */
export const PROJECT_KINDS_MIGRATION: readonly string[] = [
  'CREATE INDEX events_project_kind ON events (project_id, kind, id)',
  'DROP INDEX events_prompts',
  'DROP INDEX events_failures',
  'DROP INDEX events_tools',
  'DROP INDEX events_messages',
];
