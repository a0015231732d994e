import { existsSync } from 'node:fs';
import { readSqlite } from '../../continuity/database/sqlite/open-sqlite.ts';
import { readStoreClock } from '../../continuity/store-clock.ts';
import type { CommandContext } from '../../contract/command.ts';

/** The latest time that the writes in the store confirm: now, or the last write before a jump of the clock. */
export async function certainTime({ home }: CommandContext, nowMs: number): Promise<number> {
  const path = home.at('deed.db');
  if (!existsSync(path)) return nowMs;
  const { certainMs } = await readSqlite(path, {}, (db) => readStoreClock({ db, nowMs }));
  return Math.min(certainMs, nowMs);
}
