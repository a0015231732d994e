import { errorMessage } from '../../base/error-message.ts';
import { atTime, certainTime } from './certain-time.ts';
import { backupWhenDue } from '../store-backups.ts';
import type { CommandContext } from '../../contract/command.ts';
import { isCleaningDue, wasDoneThisWeek } from '../../contract/once-a-day.ts';
import { deletableSince } from '../../contract/deletable-since.ts';

/**
 * Cleans the home once a day, after commands that create most of its data. Data from before the first such cleanup, such as that of
 * version 0.1.0, stays until a cleanup was confirmed. Never throws: the command itself has succeeded.
 */
export async function cleanIfDue(command: CommandContext): Promise<void> {
  const now = command.system.clock.now();
  try {
    backupWhenDue(command.home.at('deed.db'), command);
    const isCertain = wasDoneThisWeek(command.home.folder(), now);
    if (!isCleaningDue(command.home.folder(), now)) return;
    const since = deletableSince(command.home, now);
    // A clock that is wrong for one call must not delete anything. So after a pause, or in a new home, the first cleanup is a day later.
    if (!isCertain) return;
    const { RETENTION_RULES, retentionContext } = await import('./rules.ts');
    const retention = retentionContext(atTime(command, await certainTime(command, now)), { since });
    for (const rule of RETENTION_RULES) {
      if (command.signal.aborted) return;
      try {
        const { items, bytes } = await rule.collect(retention);
        if (items > 0)
          command.progress(`Deleted old data of ${rule.part}: ${items} entries, ${bytes} bytes.`);
      } catch (error) {
        command.progress(`Not cleaned: ${rule.part}: ${errorMessage(error)}`);
      }
    }
  } catch {
    // The home cannot be written; the next call tries again.
  }
}
