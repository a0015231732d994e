import type { CommandContext } from '../../contract/command.ts';
import { isCleaningDue, wasDoneLately } from '../../contract/once-a-day.ts';
import { deletableSince } from '../../contract/retention.ts';

/**
 * Cleans the home once a day, after commands that create most of its data. Data of before the first such cleanup, such as that of
 * version 0.1.0, stays until a cleanup was confirmed. Never throws: the command itself has succeeded.
 */
export async function cleanIfDue(command: CommandContext): Promise<void> {
  const now = command.system.clock.now();
  try {
    const isCertain = wasDoneLately(command.home.folder(), now);
    if (!isCleaningDue(command.home.folder(), now)) return;
    const since = deletableSince(command.home, now);
    // A clock that is wrong for one call must delete nothing; after a pause, or in a new home, the cleanup of the next day does it.
    if (!isCertain) return;
    const { RETENTION_RULES, retentionContext } = await import('./rules.ts');
    for (const rule of RETENTION_RULES) {
      if (command.signal.aborted) return;
      try {
        await rule.collect(retentionContext(command, since));
      } catch (error) {
        command.progress(
          `Not cleaned: ${rule.part}: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
  } catch {
    // The home cannot be written; the next call tries again.
  }
}
