/**
 * One index for the newest events of any kind in a project. It replaces an index for each of four kinds, which SQLite did not choose:
 * the index by kind looked as good to it, and a project without such events made it read those of all projects.
 */
export const PROJECT_KINDS_MIGRATION: readonly string[] = [
  'CREATE INDEX events_project_kind ON events (project_id, kind, id)',
  'DROP INDEX events_prompts',
  'DROP INDEX events_failures',
  'DROP INDEX events_tools',
  'DROP INDEX events_messages',
];
