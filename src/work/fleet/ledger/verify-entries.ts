import type { Trust } from '../../receipt/keyring.ts';
import { openLedgerEntry, type LedgerEntry } from '../../receipt/ledger-entry.ts';
import { openApproval } from '../../receipt/approval.ts';
import { FIRST, type Receipt } from '../../receipt/receipt.ts';
import { compareApproval } from '../check-approval.ts';
import { compareReceipt, openReceipt } from '../check-proof.ts';

/** What is wrong with an entry, which are numbered from 1; 0 for the whole ledger. */
export interface LedgerProblem {
  readonly entry: number;
  readonly commit: string;
  /** The job and the item of the entry; empty if it cannot be read. */
  readonly item: string;
  readonly problem: string;
}

/** The receipts of one worker in the ledger. */
export interface SignerReport {
  readonly key_id: string;
  readonly receipts: number;
  /** How many of them name another receipt of the ledger as the receipt before them; the others follow receipts that only the worker has. */
  readonly linked: number;
}

/** An entry whose signature is valid. */
export interface CheckedEntry {
  readonly entry: number;
  readonly commit: string;
  readonly promotion: LedgerEntry;
}

/** The files of an entry; empty if it has none. */
export interface EntryTexts {
  readonly entry: string;
  readonly receipt: string;
  readonly approval: string;
}

/** Checks entries one after the other, from the first. */
export interface EntryChecks {
  readonly add: (commit: string, texts: EntryTexts) => void;
  readonly report: (entry: number, commit: string, problem: string, promotion?: LedgerEntry) => void;
  readonly promotions: readonly CheckedEntry[];
  readonly problems: readonly LedgerProblem[];
  readonly notices: string[];
  readonly signers: () => readonly SignerReport[];
}

export function createEntryChecks({ workers, integrators, approvers, retired }: Trust): EntryChecks {
  const [signing, landing] = [
    [...workers, ...retired],
    [...integrators, ...retired],
  ];
  const promotions: CheckedEntry[] = [];
  const problems: LedgerProblem[] = [];
  const notices: string[] = [];
  const receipts = createReceiptChains(notices);
  const items = new Map<string, number>();
  let count = 0;
  /** Undefined after an entry that cannot be read, which is reported itself. */
  let previous: string | undefined = FIRST;

  const report: EntryChecks['report'] = (entry, commit, problem, promotion) => {
    const item = promotion === undefined ? '' : nameOf(promotion);
    problems.push({ entry, commit, item, problem });
  };

  const add: EntryChecks['add'] = (commit, texts) => {
    count += 1;
    const entry = count;
    const opened = openLedgerEntry(texts.entry, landing);
    const expected = previous;
    previous = opened.hash;
    if ('problem' in opened) return report(entry, commit, opened.problem);
    const { document: promotion } = opened;
    const fail = (problem: string): void => report(entry, commit, problem, promotion);
    promotions.push({ entry, commit, promotion });
    if (promotion.sequence !== entry) fail(`says that it is entry ${promotion.sequence}`);
    if (expected !== undefined && promotion.previous !== expected)
      fail('names another entry as the one before it: an entry was removed, replaced or added again');
    const first = items.get(nameOf(promotion));
    if (first === undefined) items.set(nameOf(promotion), entry);
    else fail(`the item was promoted before, by entry ${first}`);
    const signed = openReceipt(texts.receipt, signing);
    if ('problem' in signed) return fail(signed.problem);
    const { receipt, keyId } = signed;
    const problem =
      receipt.receipt_hash === promotion.receipt_hash && keyId === promotion.worker_key_id
        ? compareReceipt(receipt, promotion)
        : 'its receipt is not the one that the integrator signed';
    if (problem !== undefined) return fail(problem);
    const unapproved = findApprovalProblem(promotion, texts.approval, [...approvers, ...retired]);
    if (unapproved !== undefined) fail(unapproved);
    const used = receipts.add(entry, keyId, receipt);
    return used === undefined ? undefined : fail(`entry ${used} has the same receipt`);
  };

  return { add, report, promotions, problems, notices, signers: receipts.signers };
}

/** Checks the approval that an entry names. */
function findApprovalProblem(
  promotion: LedgerEntry,
  text: string,
  keys: Trust['approvers'],
): string | undefined {
  if (promotion.approval_hash === undefined) return undefined;
  const opened = openApproval(text, keys);
  if ('problem' in opened) return `its approval does not count: ${opened.problem}`;
  return opened.hash === promotion.approval_hash
    ? compareApproval(opened.document, { ...promotion, commit: promotion.result })
    : 'its approval is not the one that the integrator signed';
}

function nameOf({ job_id: jobId, item_id: itemId }: LedgerEntry): string {
  return `${jobId}/${itemId}`;
}

/**
 * Checks the receipt chains of workers as far as the ledger shows them. Not every receipt lands, and results may land in another order than they
 * were signed, so gaps and a different order are normal. Two receipts with the same predecessor are not: a chain never branches.
 */
function createReceiptChains(notices: string[]) {
  const entries = new Map<string, number>();
  const followers = new Map<string, number>();
  /** The receipt before each one, by signer. */
  const signed = new Map<string, string[]>();

  const add = (entry: number, keyId: string, receipt: Receipt): number | undefined => {
    const { receipt_hash: hash, previous_receipt_hash: previous } = receipt;
    const used = entries.get(hash);
    if (used !== undefined) return used;
    entries.set(hash, entry);
    const other = followers.get(`${keyId} ${previous}`);
    if (other === undefined) followers.set(`${keyId} ${previous}`, entry);
    else
      notices.push(
        `The receipts of entries ${other} and ${entry} both follow the same receipt of ${keyId}: its home was restored from a copy, or two homes use its key.`,
      );
    const receipts = signed.get(keyId);
    if (receipts === undefined) signed.set(keyId, [previous]);
    else receipts.push(previous);
    return undefined;
  };

  const signers = (): readonly SignerReport[] =>
    [...signed].map(([keyId, receipts]) => ({
      key_id: keyId,
      receipts: receipts.length,
      linked: receipts.filter((previous) => entries.has(previous)).length,
    }));

  return { add, signers };
}
