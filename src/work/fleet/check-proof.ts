import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { faultFromSystem } from '../../base/system-fault.ts';
import { hashItem } from '../item/hash-item.ts';
import type { WorkItem } from '../item/work-item.ts';
import { verifyFile } from '../receipt/verify-file.ts';
import type { ItemRecord } from './item-record.ts';

/** Reads the public keys of trusted workers: all PEM files of a folder. */
export function readTrustedKeys(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.pem'));
    return names.map((name) => readFileSync(join(folder, name), 'utf8'));
  } catch (error) {
    throw faultFromSystem(error, 'read the keys of workers', folder);
  }
}

/**
 * Checks that a trusted worker signed for exactly this result: the receipt of a success of this item, with this commit. Returns what is
 * wrong, or undefined.
 */
export function findProofProblem(
  { proof, run_id: runId, commit }: ItemRecord,
  item: WorkItem,
  keys: readonly string[],
): string | undefined {
  if (proof === undefined) return 'it has no receipt';
  const verified = keys.flatMap((pem) => tryVerify(proof.statement, pem));
  const [receipt] = verified;
  if (receipt === undefined) return 'no trusted key signed its receipt';
  if (receipt.run_id !== runId || receipt.status !== 'success') return 'its receipt is that of another run';
  if (receipt.work_item_hash !== hashItem(item)) return 'its receipt is that of another item';
  return receipt.landing?.commit === commit ? undefined : 'its receipt is that of another commit';
}

function tryVerify(text: string, pem: string) {
  try {
    return verifyFile({ text, pem }).receipt ?? [];
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}
