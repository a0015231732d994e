import { endSession } from '../continuity/database/queries/claims.ts';
import { mayBeStore, openStore } from '../continuity/database/open-store.ts';
import type { CommandContext } from '../contract/command.ts';
import { locateStore, storePassword } from './locate-store.ts';

const BUSY_MS = 2000;

/**
 * Transfers the claims of an ended session to its agent name, so that the next session of the agent can continue them. If the process is
 * killed before, the claims expire.
 */
export async function endClaimSession(
  context: Pick<CommandContext, 'system' | 'home'>,
  session: string,
): Promise<void> {
  const { path } = locateStore({}, context);
  if (!mayBeStore(path)) return;
  const database = await openStore(path, { busyTimeoutMs: BUSY_MS, ...storePassword(context) });
  try {
    await database.transaction((transaction) => transaction.run(endSession, { session }));
  } finally {
    database.close();
  }
}
