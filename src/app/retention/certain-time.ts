import { join } from 'node:path';
import { isoTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { mayBeStore, readStore } from '../../continuity/database/open-store.ts';
import { readStoreClock } from '../../continuity/store-clock.ts';
import { readAuditClock } from '../../contract/audit-clock.ts';
import { logFiles } from '../../contract/audit-files.ts';
import { AUDIT_FOLDER } from '../../contract/audit-log.ts';
import type { CommandContext } from '../../contract/command.ts';
import type { Home } from '../../contract/home.ts';
import { homeStore, storePassword } from '../locate-store.ts';
import { storeRecord } from '../store-record.ts';
import { DAY_MS } from './retention-rule.ts';

/** A store that is damaged, or that this account cannot read. */
const UNREADABLE: ReadonlySet<string> = new Set(['E_DAMAGED', 'E_FORBIDDEN', 'E_IO']);
/** A pause of a week, or a wrong clock. */
const JUMP_MS = 7 * DAY_MS;

/**
 * Returns the context of a cleanup. Its clock shows the latest time that writes have confirmed, because a clock that is wrong once must not
 * delete anything. Reports a jump of the clock. If the store cannot be read, the audit log decides, so that the other parts are still cleaned.
 */
export async function certainContext(context: CommandContext): Promise<CommandContext> {
  const now = context.system.clock.now();
  const certain = await certainTime(context, now).catch((error: unknown) => {
    if (error instanceof Fault && UNREADABLE.has(error.code)) return certainAuditTime(context.home, now);
    throw error;
  });
  if (certain === now) return context;
  context.warn(
    `The clock (${isoTime(now)}) is far ahead of the last confirmed write (${isoTime(certain)}), so only what was old by then is deleted. If the clock is correct, later calls delete the rest.`,
  );
  return atTime(context, certain);
}

export function atTime(context: CommandContext, now: number): CommandContext {
  return { ...context, system: { ...context.system, clock: { now: () => now } } };
}

/**
 * Returns the latest time that writes have confirmed: now, or after a jump of the clock the time of the last write before the jump. A home
 * without a store has only its audit log.
 */
export async function certainTime(context: CommandContext, nowMs: number): Promise<number> {
  const path = homeStore(context.home);
  if (!mayBeStore(path)) return certainAuditTime(context.home, nowMs);
  const options = { ...storePassword(context), record: storeRecord(context.home, path, () => nowMs) };
  const { certainMs } = await readStore(path, options, (db) => readStoreClock({ db, nowMs }));
  return Math.min(certainMs, nowMs);
}

function certainAuditTime(home: Home, nowMs: number): number {
  const folder = home.at(AUDIT_FOLDER);
  const newest = logFiles(folder).at(-1);
  if (newest === undefined) return nowMs;
  const { certainAt } = readAuditClock(join(folder, newest), isoTime(nowMs), JUMP_MS);
  return certainAt === undefined ? nowMs : Date.parse(certainAt);
}
