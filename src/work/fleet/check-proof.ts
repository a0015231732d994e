import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { hashItem } from '../item/hash-item.ts';
import type { WorkItem } from '../item/work-item.ts';
import { keyringFolder, readTrust, type Trust } from '../receipt/keyring.ts';
import type { Receipt } from '../receipt/receipt.ts';
import { readVerifyingKeys, type VerifyingKey } from '../receipt/signing-key.ts';
import { verifySigned } from '../receipt/verify-file.ts';
import type { Fleet } from './fleet.ts';
import { itemBranch } from './item-branch.ts';
import type { ItemRecord } from './item-record.ts';

/** What a trusted worker signed for a result; or why the result must not land. */
export type Proof =
  | { readonly receipt: Receipt; readonly keyId: string; readonly statement: string }
  | { readonly problem: string };

/** Reads whom an integrator trusts: its keyring, and its own keys for the ledger. */
export function readFleetTrust({ work, keysFolder }: Pick<Fleet, 'work' | 'keysFolder'>): Trust {
  return readTrust(keysFolder ?? keyringFolder(work.home), readVerifyingKeys(join(work.home, 'keys')));
}

/** An integrator that trusts no worker would deny every result. */
export function requireWorkers(fleet: Pick<Fleet, 'work' | 'keysFolder'>): void {
  if (readFleetTrust(fleet).workers.length > 0) return;
  const folder = fleet.keysFolder ?? keyringFolder(fleet.work.home);
  throw new Fault('E_CONFIG', `No worker is trusted in ${folder}, so no result could land.`, {
    hint: 'On each worker: deed receipt export --as key --format raw > worker.pub.pem. Here: deed receipt trust worker.pub.pem --name <worker> --dry-run',
    details: { field: 'keys', path: folder },
  });
}

/** Checks that a trusted worker signed for exactly this result: the receipt of a success of this attempt at this item, with this commit. */
export function checkProof(record: ItemRecord, item: WorkItem, workers: readonly VerifyingKey[]): Proof {
  const { proof } = record;
  if (proof === undefined) return { problem: 'it has no receipt' };
  const signed = openReceipt(proof.statement, workers);
  if ('problem' in signed) return signed;
  const problem = compareReceipt(signed.receipt, {
    ...record,
    item_hash: hashItem(item),
    result: record.commit ?? null,
  });
  return problem === undefined ? { ...signed, statement: proof.statement } : { problem };
}

/** What a receipt must be about. */
export interface ExpectedReceipt {
  readonly job_id: string;
  readonly item_id: string;
  readonly item_hash: string;
  readonly attempt: number;
  readonly run_id?: string | undefined;
  readonly base?: string | null | undefined;
  readonly result: string | null;
}

/** Compares a receipt with what it should prove. Its branch names job, item and attempt, so it proves no other one. */
export function compareReceipt(receipt: Receipt, expected: ExpectedReceipt): string | undefined {
  const { landing } = receipt;
  const { job_id: jobId, item_id: itemId, attempt } = expected;
  if (receipt.run_id !== expected.run_id || receipt.status !== 'success')
    return 'its receipt is for another run';
  if (receipt.work_item_id !== itemId || receipt.work_item_hash !== expected.item_hash)
    return 'its receipt is for another item';
  if ((landing?.branch ?? receipt.git.branch) !== itemBranch({ jobId, itemId, attempt }))
    return 'its receipt is for another job or attempt';
  if ((landing?.commit ?? null) !== expected.result) return 'its receipt is for another commit';
  return landing === undefined || landing.parent === expected.base
    ? undefined
    : 'its receipt is for another base';
}

/** Opens a receipt that one of the workers signed. */
export function openReceipt(
  text: string,
  workers: readonly VerifyingKey[],
): { readonly receipt: Receipt; readonly keyId: string } | { readonly problem: string } {
  try {
    const { receipt, keyId } = verifySigned({ text, keys: workers });
    return receipt === undefined ? { problem: 'it has provenance instead of a receipt' } : { receipt, keyId };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { problem } = error.details;
    return {
      problem: `no trusted key signed its receipt${typeof problem === 'string' ? `: ${problem}` : ''}`,
    };
  }
}
