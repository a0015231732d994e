import { branchRef } from '../workspace/landing/read-branch.ts';
import type { Fleet } from './fleet.ts';
import { readItemsWith, type ReadRefs, type StoredRecord } from './item-refs.ts';
import { ENTRY_FILE, LEDGER_REF, type LedgerReading } from './ledger/read-ledger.ts';
import { readSeen } from './ledger/seen-ledger.ts';
import type { QueuedItem } from './work-queue.ts';

/** What is read of the remote to land an item, in one request. */
export interface LandingState {
  readonly current: StoredRecord | undefined;
  readonly others: ReadRefs['others'];
  readonly ledger: LedgerReading;
}

/** Reads an item, its branch and the ledger. */
export async function readForLanding(
  { work, remote }: Fleet,
  { jobId, item, branch }: QueuedItem,
): Promise<LandingState> {
  const seen = readSeen(work.home, remote.url);
  const { items, others } = await readItemsWith(
    remote,
    { jobId, itemIds: [item.id] },
    { [branchRef(branch)]: null, [LEDGER_REF]: ENTRY_FILE },
  );
  const { commit = null, text = '' } = others.get(LEDGER_REF) ?? {};
  return { current: items.get(item.id), others, ledger: { seen, commit, text } };
}
