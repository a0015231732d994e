import { join } from 'node:path';
import type { Receipt } from '../receipt/receipt.ts';
import { openSigningKey } from '../receipt/signing-key.ts';
import { signPromotion, type Promotion } from '../receipt/promotion.ts';
import { branchRef } from '../workspace/landing/read-branch.ts';
import { isAncestor } from '../workspace/remote/commit-history.ts';
import { writeFilesCommit } from '../workspace/remote/document-commit.ts';
import { listRefs, trackedRefs } from '../workspace/remote/remote-refs.ts';
import type { Fleet } from './fleet.ts';
import { itemRef, replaceItem, type StoredRecord } from './item-refs.ts';
import type { ItemRecord } from './item-record.ts';
import { assumeKnown, knownBranch } from './known-refs.ts';
import {
  APPROVAL_FILE,
  checkLedgerTip,
  ENTRY_FILE,
  LEDGER_REF,
  readEntry,
  readLedgerTip,
  RECEIPT_FILE,
  type LedgerReading,
} from './ledger/read-ledger.ts';
import { rememberLedger } from './ledger/seen-ledger.ts';
import { readFleetTrust } from './check-proof.ts';

export interface PromoteRequest {
  /** The result as it is in the item's ref, and what replaces it. */
  readonly current: StoredRecord;
  readonly promoted: ItemRecord;
  readonly branch: string;
  /** The tip of the branch before and after. */
  readonly before: string;
  readonly after: string;
  /** The ledger as it was read with the item. */
  readonly ledger: LedgerReading;
  /** What the worker signed. */
  readonly proof: { readonly receipt: Receipt; readonly keyId: string; readonly statement: string };
  /** What the approver signed, for an item that needs an approval. */
  readonly approval?: { readonly hash: string; readonly statement: string } | undefined;
}

/** Integrators of other branches append to the same ledger. */
const MAX_TRIES = 8;

/**
 * Moves the branch and the item's ref and appends to the ledger, in one atomic push: the branch has a result exactly if the ledger has its
 * entry. Undefined if another process moved the branch or the item meanwhile; if only the ledger moved, the entry is written again.
 */
export async function promoteItem(fleet: Fleet, request: PromoteRequest): Promise<StoredRecord | undefined> {
  const { remote, work } = fleet;
  const { current, before, after } = request;
  const branch = branchRef(request.branch);
  const item = itemRef(current.record.job_id, current.record.item_id);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const place = { home: work.home, remote, trust: readFleetTrust(fleet) };
    const tip = await (tries === 0 ? checkLedgerTip(place, request.ledger) : readLedgerTip(place));
    const sequence = tip.sequence + 1;
    const entry = await writeEntry(fleet, request, { commit: tip.commit, sequence, previous: tip.hash });
    const moves = [
      { ref: LEDGER_REF, from: tip.commit, to: entry, trackedBy: LEDGER_REF },
      ...(request.promoted.commit === undefined
        ? []
        : [{ ref: branch, from: before, to: after, trackedBy: knownBranch(request.branch) }]),
    ];
    const landed = await replaceItem(remote, current, { ...request.promoted, ledger: entry }, moves);
    if (landed !== undefined) {
      await rememberLedger(work.home, remote.url, { commit: entry, sequence });
      assumeKnown(remote, trackedRefs(moves));
      return landed;
    }
    const now = await listRefs(remote.workspace, remote, [branch, item]);
    if (now.get(branch) !== before || now.get(item) !== current.commit) return undefined;
  }
  return undefined;
}

async function writeEntry(
  { id, remote, work }: Fleet,
  { promoted, branch, before, after, proof, approval }: PromoteRequest,
  { commit, ...position }: Pick<Promotion, 'sequence' | 'previous'> & { readonly commit: string | null },
): Promise<string> {
  const key = openSigningKey(join(work.home, 'keys'));
  const { receipt } = proof;
  const { text } = signPromotion(
    {
      version: 1,
      ...position,
      job_id: promoted.job_id,
      item_id: promoted.item_id,
      item_hash: receipt.work_item_hash,
      attempt: promoted.attempt,
      run_id: receipt.run_id,
      branch,
      base: promoted.base ?? null,
      result: receipt.landing?.commit ?? null,
      before,
      after,
      receipt_hash: receipt.receipt_hash,
      worker_key_id: proof.keyId,
      ...(approval && { approval_hash: approval.hash }),
      integrator_key_id: key.keyId,
      integrator: id,
      at: promoted.at,
    },
    key,
  );
  return writeFilesCommit(
    remote.workspace,
    remote.root,
    {
      [ENTRY_FILE]: text,
      [RECEIPT_FILE]: proof.statement,
      ...(approval && { [APPROVAL_FILE]: approval.statement }),
    },
    {
      parents: commit === null ? [] : [commit],
      message: `${position.sequence}: ${promoted.job_id}/${promoted.item_id} on ${branch}\n`,
      author: { name: id, email: 'deed@localhost' },
      atMs: Date.parse(promoted.at),
    },
  );
}

/** Checks that the ledger has the entry of an item whose ref says promoted: workers can write to that ref too. Returns what is wrong. */
export async function findPromotionProblem(
  fleet: Fleet,
  { job_id: jobId, item_id: itemId, ledger }: ItemRecord,
): Promise<string | undefined> {
  if (ledger === undefined) return 'it names no entry of the ledger';
  const { remote, work } = fleet;
  const trust = readFleetTrust(fleet);
  const tip = await readLedgerTip({ home: work.home, remote, trust });
  const { workspace, root } = remote;
  if (tip.commit === null || !(await isAncestor(workspace, root, { commit: ledger, of: tip.commit })))
    return `the ledger has no entry ${ledger.slice(0, 10)}`;
  const opened = await readEntry(remote, ledger, [...trust.integrators, ...trust.retired]);
  if ('problem' in opened) return opened.problem;
  const { job_id: job, item_id: item } = opened.document;
  return job === jobId && item === itemId ? undefined : `its entry is that of ${job}/${item}`;
}
