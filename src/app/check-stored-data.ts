import type { IntegrityCheckOptions, Database } from '../continuity/database/database.ts';
import { compareCopies } from '../continuity/database/sqlite/compare-copies.ts';
import type { CommandContext } from '../contract/command.ts';
import { readNewestBackup } from './store-backups.ts';

/**
 * Checks a store for damage: its structure, writes that it has lost and, unless the check is a shallow one, rows that differ from the
 * newest backup.
 */
export async function checkStoredData(
  database: Database,
  context: CommandContext,
  options: IntegrityCheckOptions,
): Promise<string[]> {
  const problems = await database.check(options);
  const isBackedUp = database.path === context.home.at('deed.db');
  if (problems.length > 0 || options.depth !== 'full' || !isBackedUp) return problems;
  return readNewestBackup(context.home, (file, backup) => compareCopies(database.path, file, backup)) ?? [];
}

export const DAMAGED_HINT =
  'Run "deed store restore --dry-run" to restore the newest backup; the damaged file is kept. To continue with the store as it is, add --accept-loss.';
