import { branchRef } from '../workspace/landing/read-branch.ts';
import type { Fleet } from './fleet.ts';
import { itemRef, readRecords, type ReadRefs, type StoredRecord } from './item-refs.ts';
import { ENTRY_FILE, LEDGER_REF, type LedgerReading } from './ledger/read-ledger.ts';
import { readSeen } from './ledger/seen-ledger.ts';
import type { QueuedItem } from './work-queue.ts';

/** What is read of the remote to land items of a branch, in one request. */
export interface LandingState {
  readonly recordOf: (queued: QueuedItem) => StoredRecord | undefined;
  readonly others: ReadRefs['others'];
  readonly ledger: LedgerReading;
}

/** Reads items, their branch and the ledger. */
export async function readForLanding(
  { work, remote }: Fleet,
  branch: string,
  items: readonly QueuedItem[],
): Promise<LandingState> {
  const seen = readSeen(work.home, remote.url);
  const refOf = ({ jobId, item }: QueuedItem): string => itemRef(jobId, item.id);
  const { records, others } = await readRecords(remote, items.map(refOf), {
    [branchRef(branch)]: null,
    [LEDGER_REF]: ENTRY_FILE,
  });
  const { commit = null, text = '' } = others.get(LEDGER_REF) ?? {};
  return { recordOf: (queued) => records.get(refOf(queued)), others, ledger: { seen, commit, text } };
}
