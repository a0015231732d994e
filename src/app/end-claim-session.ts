import { existsSync } from 'node:fs';
import { endSession } from '../continuity/database/queries/claims.ts';
import { openSqlite } from '../continuity/database/sqlite/open-sqlite.ts';
import type { CommandContext } from '../contract/command.ts';
import { locateStore } from './locate-store.ts';

const BUSY_MS = 2000;

/**
 * Leaves the claims of a session that ends to its agent name, so that the agent can continue them in its next session. If the process is
 * killed instead, they expire.
 */
export async function endClaimSession(
  context: Pick<CommandContext, 'system' | 'home'>,
  session: string,
): Promise<void> {
  const { path } = locateStore({}, context);
  if (!existsSync(path)) return;
  const database = openSqlite(path, { busyTimeoutMs: BUSY_MS });
  try {
    await database.transaction((transaction) => transaction.run(endSession, { session }));
  } finally {
    database.close();
  }
}
