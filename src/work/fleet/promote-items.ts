import { join } from 'node:path';
import type { Receipt } from '../receipt/receipt.ts';
import { openSigningKey } from '../receipt/signing-key.ts';
import { signLedgerEntry } from '../receipt/ledger-entry.ts';
import { branchRef } from '../workspace/landing/read-branch.ts';
import { isAncestor } from '../workspace/remote/commit-history.ts';
import { writeFilesCommit } from '../workspace/remote/document-commit.ts';
import { listRefs, trackedRefs } from '../workspace/remote/remote-refs.ts';
import type { Fleet } from './fleet.ts';
import { itemRef, replaceItems, type StoredRecord } from './item-refs.ts';
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
  type LedgerTip,
} from './ledger/read-ledger.ts';
import { rememberLedger } from './ledger/seen-ledger.ts';
import { readFleetTrust } from './check-proof.ts';

/** A result that lands. */
export interface PreparedLanding {
  /** The result as it is in the item's ref, and what replaces it. */
  readonly current: StoredRecord;
  readonly promoted: ItemRecord;
  readonly branch: string;
  /** The tip of the branch before and after. */
  readonly before: string;
  readonly after: string;
  /** What the worker signed. */
  readonly proof: { readonly receipt: Receipt; readonly keyId: string; readonly statement: string };
  /** What the approver signed, for an item that needs an approval. */
  readonly approval?: { readonly hash: string; readonly statement: string } | undefined;
}

/** Integrators of other branches append to the same ledger. */
const MAX_TRIES = 8;

/**
 * Moves a branch and the refs of items and appends to the ledger, in one atomic push: the branch has a result exactly if the ledger has its
 * entry. Undefined if another process moved the branch or one of the items meanwhile; if only the ledger moved, the entries are written
 * again. Contract: all of one branch, each starts from the tip that the one before it leaves.
 */
export async function promoteItems(
  fleet: Fleet,
  landings: readonly [PreparedLanding, ...(readonly PreparedLanding[])],
  reading: LedgerReading,
): Promise<readonly StoredRecord[] | undefined> {
  const { remote, work } = fleet;
  const [{ before, branch: name }] = landings;
  const after = landings.at(-1)?.after ?? before;
  const branch = branchRef(name);
  const expected = new Map([
    [branch, before],
    ...landings.map(
      ({ current: { commit, record } }) => [itemRef(record.job_id, record.item_id), commit] as const,
    ),
  ]);
  const isOnBranch = landings.some(({ promoted }) => promoted.commit !== undefined);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const place = { home: work.home, remote, trust: readFleetTrust(fleet) };
    const tip = await (tries === 0 ? checkLedgerTip(place, reading) : readLedgerTip(place));
    const entries = await writeEntries(fleet, landings, tip);
    const last = entries.at(-1) as Entry;
    const moves = [
      { ref: LEDGER_REF, from: tip.commit, to: last.commit, trackedBy: LEDGER_REF },
      ...(isOnBranch ? [{ ref: branch, from: before, to: after, trackedBy: knownBranch(name) }] : []),
    ];
    const steps = landings.map(({ current, promoted }, index) => ({
      previous: current,
      record: { ...promoted, ledger: entries[index]?.commit },
    }));
    const landed = await replaceItems(remote, steps, moves);
    if (landed !== undefined) {
      await rememberLedger(work.home, remote.url, last);
      assumeKnown(remote, trackedRefs(moves));
      return landed;
    }
    const now = await listRefs(remote.workspace, remote, [...expected.keys()]);
    if ([...expected].some(([ref, commit]) => now.get(ref) !== commit)) return undefined;
  }
  return undefined;
}

interface Entry {
  readonly commit: string;
  readonly sequence: number;
  readonly hash: string;
}

/** Writes an entry for each result, each after the one before. */
async function writeEntries(
  fleet: Fleet,
  landings: readonly PreparedLanding[],
  tip: LedgerTip,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (const landing of landings) entries.push(await writeEntry(fleet, landing, entries.at(-1) ?? tip));
  return entries;
}

async function writeEntry(
  { id, remote, work }: Fleet,
  { promoted, branch, before, after, proof, approval }: PreparedLanding,
  previous: LedgerTip,
): Promise<Entry> {
  const key = openSigningKey(join(work.home, 'keys'));
  const { receipt } = proof;
  const sequence = previous.sequence + 1;
  const { text, hash } = signLedgerEntry(
    {
      version: 1,
      sequence,
      previous: previous.hash,
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
  const commit = await writeFilesCommit(
    remote.workspace,
    remote.root,
    {
      [ENTRY_FILE]: text,
      [RECEIPT_FILE]: proof.statement,
      ...(approval && { [APPROVAL_FILE]: approval.statement }),
    },
    {
      parents: previous.commit === null ? [] : [previous.commit],
      message: `${sequence}: ${promoted.job_id}/${promoted.item_id} on ${branch}\n`,
      author: { name: id, email: 'deed@localhost' },
      atMs: Date.parse(promoted.at),
    },
  );
  return { commit, sequence, hash };
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
  if (tip.commit === null || !(await isAncestor(workspace, root, { commit: ledger, descendant: tip.commit })))
    return `the ledger has no entry ${ledger.slice(0, 10)}`;
  const opened = await readEntry(remote, ledger, [...trust.integrators, ...trust.retired]);
  if ('problem' in opened) return opened.problem;
  const { job_id: job, item_id: item } = opened.document;
  return job === jobId && item === itemId ? undefined : `its entry is for ${job}/${item}`;
}
