import { mayBeStore, readStore } from '../../continuity/database/open-store.ts';
import { readStoreClock } from '../../continuity/store-clock.ts';
import type { CommandContext } from '../../contract/command.ts';
import { homeStore, storePassword } from '../locate-store.ts';

/** The latest time that the writes in the store confirm: now, or the last write before a jump of the clock. */
export async function certainTime(context: CommandContext, nowMs: number): Promise<number> {
  const path = homeStore(context.home);
  if (!mayBeStore(path)) return nowMs;
  const { certainMs } = await readStore(path, storePassword(context), (db) => readStoreClock({ db, nowMs }));
  return Math.min(certainMs, nowMs);
}
