import type { CommandContext } from '../../contract/command.ts';
import { isCleaningDue } from '../../contract/once-a-day.ts';
import { deletableSince } from '../../contract/retention.ts';

/**
 * Cleans the home once a day, after commands that create most of its data. Data of before the first such cleanup, such as that of
 * version 0.1.0, stays until a cleanup was confirmed. Never throws: the command itself has succeeded.
 */
export async function cleanIfDue(command: CommandContext): Promise<void> {
  const now = command.system.clock.now();
  try {
    if (!isCleaningDue(command.home.folder(), now)) return;
    const since = deletableSince(command.home, now);
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
