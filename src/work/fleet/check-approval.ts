import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { tryParseJson } from '../../base/parse-json.ts';
import { openApproval, signApproval, type SignedApproval } from '../receipt/approval.ts';
import { openSigningKey, type VerifyingKey } from '../receipt/signing-key.ts';
import type { Approval } from '../run/run-draft.ts';
import { notAnItem, type ItemRecord, type ApprovalRefusal } from './item-record.ts';
import { itemRef } from './item-refs.ts';

const KEY_ID = /^[0-9a-f]{64}$/u;

/** An approval that counts, as it goes into the ledger; or why it does not count. */
type CheckedApproval =
  | { readonly hash: string; readonly statement: string }
  | { readonly refused: ApprovalRefusal };

/** Signs a decision about a run on another host with the key of this home. */
export function signDecision(home: string, record: ItemRecord, approval: Approval): string {
  const { decision, by, at, note } = approval;
  if (decision === 'sent_back') throw new Fault('E_VALIDATION', 'A run on another host cannot be sent back.');
  const key = openSigningKey(join(home, 'keys'));
  const signed: SignedApproval = {
    version: 1,
    decision,
    ...subjectOf(record, receiptHashOf(record)),
    approver_key_id: key.keyId,
    by,
    at,
    ...(note !== undefined && { note }),
  };
  return signApproval(signed, key).text;
}

/** Checks that a trusted approver signed for exactly this result; everyone with push access to the remote can write to the ref of an item. */
export function checkApproval(
  record: ItemRecord,
  receiptHash: string,
  approvers: readonly VerifyingKey[],
): CheckedApproval {
  const { approval } = record;
  if (approval === undefined) return { refused: { reason: 'missing' } };
  const { statement } = approval;
  if (statement === undefined) return { refused: { reason: 'unsigned' } };
  const opened = openApproval(statement, approvers);
  if ('problem' in opened) {
    const { signer = '' } = opened;
    return { refused: { reason: 'untrusted', ...(KEY_ID.test(signer) && { key_id: signer }) } };
  }
  const problem = compareApproval(opened.document, { ...record, receipt_hash: receiptHash });
  return problem === undefined ? { hash: opened.hash, statement } : { refused: { reason: 'another_result' } };
}

/** Says why an item waits again, and what a person can do. */
export function describeRefusal({ reason, key_id: keyId }: ApprovalRefusal): string {
  const why = {
    missing: 'no one has approved it',
    unsigned: 'its approval has no signature',
    untrusted: `no trusted approver signed its approval${keyId === undefined ? '' : `; it was signed with the key ${keyId}`}`,
    another_result: 'its approval is for another result',
  }[reason];
  return `It waits again, because ${why}. If the key belongs to a home where people approve results, trust it on the integrator (deed receipt trust <public key> --name <name> --role approver --dry-run), and approve the run again.`;
}

interface Result extends Pick<ItemRecord, 'job_id' | 'item_id' | 'attempt' | 'run_id'> {
  readonly commit?: string | null | undefined;
}

/** Compares an approval with the result that it should be about. */
export function compareApproval(
  approval: SignedApproval,
  result: Result & { readonly receipt_hash: string },
): string | undefined {
  if (approval.decision !== 'approved') return 'it was rejected';
  const expected = subjectOf(result, result.receipt_hash);
  const isSame = Object.entries(expected).every(
    ([name, value]) => approval[name as keyof typeof expected] === value,
  );
  return isSame ? undefined : 'its approval is for another result';
}

function subjectOf(
  { job_id, item_id, attempt, run_id = '', commit = null }: Result,
  receiptHash: string,
): Pick<SignedApproval, 'job_id' | 'item_id' | 'attempt' | 'run_id' | 'commit' | 'receipt_hash'> {
  return { job_id, item_id, attempt, run_id, commit, receipt_hash: receiptHash };
}

/** The integrator compares it with the receipt that the worker signed. */
function receiptHashOf({ proof, job_id: jobId, item_id: itemId }: ItemRecord): string {
  const receipt = tryParseJson(proof?.receipt ?? '');
  if (isPlainObject(receipt) && typeof receipt.receipt_hash === 'string') return receipt.receipt_hash;
  throw notAnItem(itemRef(jobId, itemId));
}
