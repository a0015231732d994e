import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { damaged } from '../../base/damaged.ts';
import { sha256 } from '../../system/digest.ts';
import { int } from '../../base/schema.ts';
import { readOwnBytes } from '../../system/own-file.ts';
import { parseStored, readStored, timestamp, type DocumentShape } from '../../system/stored-document.ts';
import { runFolder } from '../run/run-folder.ts';
import { hashReceipt, type Receipt } from './receipt.ts';
import { readRetiredFiles } from './retired-proofs.ts';
import { readVerifyingKeys } from './signing-key.ts';

const MAX_PROOF_BYTES = 64 * 1024 * 1024;

/** How to fix a file that a receipt covers, or for the receipt. */
export function restoreHint(path: string): string {
  return `Restore ${path} from a backup; "deed receipt verify" lists all damaged files. Other runs are not affected.`;
}

const RECEIPT: DocumentShape<Receipt> = {
  hint: restoreHint,
  schema: v.object({
    canonicalization: v.optional(v.literal('RFC8785')),
    id: v.string(),
    run_id: v.string(),
    agent_id: v.string(),
    work_item_id: v.string(),
    work_item_hash: v.string(),
    phase: v.picklist(['tranche', 'reconcile', 'rollback']),
    timestamp_iso: timestamp(),
    root: v.string(),
    before_hash: v.string(),
    after_hash: v.string(),
    receipt_hash: v.string(),
    run_hash: v.string(),
    previous_receipt_hash: v.string(),
    artifacts: v.array(v.object({ path: v.optional(v.string()), content_hash: v.nullable(v.string()) })),
    proof_artifacts: v.array(v.object({ path: v.string(), sha256: v.string(), bytes: int() })),
    status: v.picklist(['success', 'failure', 'denied', 'timeout', 'rolled_back']),
    rolls_back: v.optional(v.string()),
  }),
};

/** Files that exist next to a receipt, or while it is being written; then the run has a draft too. */
const BESIDE_RECEIPT = ['receipt.dsse.json', 'item.json'] as const;

/** Reads the receipt of a run and checks its hash; undefined if the run has none yet. Damage is E_DAMAGED. */
export function readReceipt(home: string, runId: string): Receipt | undefined {
  const folder = runFolder(home, runId);
  const path = join(folder, 'RECEIPT.json');
  const receipt = readStored(path, RECEIPT);
  if (receipt === undefined) {
    const isOpen = existsSync(join(folder, 'draft.json')) || existsSync(join(folder, 'state.json'));
    if (isOpen || !BESIDE_RECEIPT.some((name) => existsSync(join(folder, name)))) return undefined;
    throw damaged(path, 'it is missing', restoreHint(path));
  }
  return checkReceipt(receipt, runId, path);
}

/** Reads the copy of a receipt that a run on another host delivered, in the same way. */
export function readDeliveredReceipt(path: string, runId: string): Receipt | undefined {
  const receipt = readStored(path, RECEIPT);
  return receipt && checkReceipt(receipt, runId, path);
}

function checkReceipt(receipt: Receipt, runId: string, path: string): Receipt {
  if (receipt.run_id !== runId)
    throw damaged(path, `it is the receipt of ${receipt.run_id}`, restoreHint(path));
  if (hashReceipt(receipt) !== receipt.receipt_hash)
    throw damaged(path, 'its content does not match its hash', restoreHint(path));
  return receipt;
}

/** Reads the receipt of a run that must have one. */
export function requireReceipt(home: string, runId: string): Receipt {
  const receipt = readReceipt(home, runId);
  if (receipt !== undefined) return receipt;
  const path = join(runFolder(home, runId), 'RECEIPT.json');
  throw damaged(path, 'it is missing', restoreHint(path));
}

/** Reads a file that a receipt covers and checks its digest; undefined if the receipt covers no such file, or if it was removed by age. */
export function readCoveredFile(home: string, receipt: Receipt, name: string): Buffer | undefined {
  const proof = receipt.proof_artifacts.find(({ path }) => path === name);
  if (proof === undefined) return undefined;
  const path = join(runFolder(home, receipt.run_id), name);
  const bytes = readOwnBytes(path, { maxBytes: MAX_PROOF_BYTES, hint: restoreHint(path) });
  if (bytes === undefined) {
    const keys = readVerifyingKeys(join(home, 'keys'));
    if (readRetiredFiles(runFolder(home, receipt.run_id), receipt, keys).has(name)) return undefined;
    throw damaged(path, 'it is missing', restoreHint(path));
  }
  if (sha256(bytes) !== proof.sha256)
    throw damaged(path, `it differs from the receipt of ${receipt.run_id}`, restoreHint(path));
  return bytes;
}

/** Like `readCoveredFile`, but parses the file as a JSON document. */
export function readCoveredDocument<T>(
  home: string,
  receipt: Receipt,
  name: string,
  shape: DocumentShape<T>,
): T | undefined {
  const bytes = readCoveredFile(home, receipt, name);
  return bytes && parseStored(join(runFolder(home, receipt.run_id), name), bytes.toString('utf8'), shape);
}
