import { join } from 'node:path';
import * as v from 'valibot';
import { canonicalJson, isPlainObject } from '../../base/json.ts';
import { int } from '../../base/schema.ts';
import { writeFileDurably } from '../../system/durable-file.ts';
import { readOwnText } from '../../system/own-file.ts';
import { openEnvelope, signEnvelope } from './dsse.ts';
import { REPAIR_HINT, type ChainEnd, type ChainLine } from './receipt-chain.ts';
import { renderDocument } from './receipt.ts';
import { RECEIPT_HEAD, type SigningKey, type VerifyingKey } from './signing-key.ts';

/**
 * The number of receipts and the hash of the last one, signed and stored separately: otherwise the newest receipts could be removed
 * together with their lines without being noticed.
 */
export interface ReceiptHead {
  readonly count: number;
  readonly receipt_hash: string;
}

const HEAD_TYPE = 'application/vnd.deed.receipt-head+json';
const HEAD = v.object({ count: v.pipe(int(), v.minValue(1)), receipt_hash: v.string() });

/** Contract: the caller holds the lock of the chain, and its lines are on disk already. */
export function writeReceiptHead(home: string, { last, count }: ChainEnd, key: SigningKey): void {
  if (last === undefined) return;
  const head: ReceiptHead = { count, receipt_hash: last.receipt_hash };
  const envelope = signEnvelope(canonicalJson({ ...head }), key, HEAD_TYPE);
  writeFileDurably(headPath(home), renderDocument(envelope));
}

/** Reads the head; `changed` if its signature is invalid. */
export function readReceiptHead(
  home: string,
  keys: readonly Pick<VerifyingKey, 'publicKey' | 'keyId'>[],
): ReceiptHead | 'changed' | undefined {
  const text = readOwnText(headPath(home), { hint: REPAIR_HINT });
  if (text === undefined) return undefined;
  try {
    const envelope: unknown = JSON.parse(text);
    if (!isPlainObject(envelope) || renderDocument(envelope) !== text) return 'changed';
    const payload = openEnvelope(envelope, keys, HEAD_TYPE);
    return payload === undefined ? 'changed' : v.parse(HEAD, JSON.parse(payload));
  } catch {
    return 'changed';
  }
}

/** Compares a chain with its head. Lines after the head are accepted: a crash may have happened before the head was written. */
export function checkHead(
  head: ReceiptHead | 'changed' | undefined,
  lines: readonly ChainLine[],
): string | undefined {
  if (head === undefined) return lines.length === 0 ? undefined : 'is missing';
  if (head === 'changed') return 'was changed';
  if (lines.length < head.count)
    return `${head.count} receipts were issued but ${lines.length} are in the chain: the newest were removed`;
  return lines[head.count - 1]?.receipt_hash === head.receipt_hash
    ? undefined
    : `receipt ${head.count} of the chain is not the one that was issued`;
}

export function headPath(home: string): string {
  return join(home, 'keys', RECEIPT_HEAD);
}
