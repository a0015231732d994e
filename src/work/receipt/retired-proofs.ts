import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '../../base/json.ts';
import { unlessDamaged } from '../../base/damaged.ts';
import { writeFileDurably } from '../../system/durable-file.ts';
import { readOwnText } from '../../system/own-file.ts';
import { runFolder } from '../run/run-folder.ts';
import { openEnvelope, signEnvelope } from './dsse.ts';
import { renderDocument, type Receipt } from './receipt.ts';
import { readVerifyingKeys, type SigningKey, type VerifyingKey } from './signing-key.ts';

/** The signed list of the files of a run that were deleted by age, so that a verification distinguishes them from missing ones. */
export const RETIRED_PROOFS = 'retired.dsse.json';

const TYPE = 'application/vnd.deed.retired-proofs+json';

/** Files that stay: they are small, and lists of runs and the search for duplicates need them. */
const KEPT: ReadonlySet<string> = new Set(['item.json', 'result.json']);

/** The files of an ended run that can be deleted, with their sizes. */
export function listRetirable(home: string, receipt: Receipt): readonly { name: string; bytes: number }[] {
  return receipt.proof_artifacts.flatMap(({ path }) => {
    if (KEPT.has(path)) return [];
    const stats = statSync(join(runFolder(home, receipt.run_id), path), { throwIfNoEntry: false });
    return stats === undefined ? [] : [{ name: path, bytes: stats.blocks * 512 }];
  });
}

/** Deletes files of a run that its receipt covers. The list is written first, so that a killed process leaves no missing file. */
export function retireCoveredFiles(
  home: string,
  receipt: Receipt,
  names: readonly string[],
  key: SigningKey,
): void {
  const folder = runFolder(home, receipt.run_id);
  const files = [
    ...new Set([...readRetiredFiles(folder, receipt, readVerifyingKeys(join(home, 'keys'))), ...names]),
  ].sort();
  const payload = canonicalJson({ run_id: receipt.run_id, receipt_hash: receipt.receipt_hash, files });
  writeFileDurably(join(folder, RETIRED_PROOFS), renderDocument(signEnvelope(payload, key, TYPE)));
  for (const name of names) rmSync(join(folder, name), { force: true });
}

/** The names of the files that were deleted by age; none if the list is missing, changed or of another run. */
export function readRetiredFiles(
  folder: string,
  receipt: Receipt,
  keys: readonly Pick<VerifyingKey, 'publicKey' | 'keyId'>[],
): ReadonlySet<string> {
  const path = join(folder, RETIRED_PROOFS);
  const text = unlessDamaged(() => readOwnText(path, { hint: 'Restore it from a backup.' }));
  if (text === undefined) return new Set();
  try {
    const payload = openEnvelope(JSON.parse(text), keys, TYPE);
    const list = JSON.parse(payload ?? 'null') as { receipt_hash: string; files: string[] } | null;
    return new Set(list?.receipt_hash === receipt.receipt_hash ? list.files : []);
  } catch {
    return new Set();
  }
}
