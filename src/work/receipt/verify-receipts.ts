import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../system/digest.ts';
import { Fault } from '../../base/fault.ts';
import { canonicalJson, isPlainObject } from '../../base/json.ts';
import { readOwnBytes } from '../../system/own-file.ts';
import { isDamaged } from '../../base/damaged.ts';
import { chainPath, listIds, runFolder } from '../run/run-folder.ts';
import { openEnvelope } from './dsse.ts';
import { readChain, type ChainLine } from './receipt-chain.ts';
import { chainLineOf } from './chain-line.ts';
import { isFirstOpen } from './check-receipt-files.ts';
import { checkHead, readReceiptHead } from './receipt-head.ts';
import { readRetiredFiles, RETIRED_PROOFS } from './retired-proofs.ts';
import { FIRST, hashReceipt, renderDocument, type Receipt } from './receipt.ts';
import { RECEIPT_HEAD, readVerifyingKeys, type VerifyingKey } from './signing-key.ts';
import { renderStatement } from './statement.ts';

/** A file that differs from what was signed. */
export interface Problem {
  readonly run_id: string;
  readonly file: string;
  readonly problem: string;
}

const MAX_BYTES = 64 * 1024 * 1024;
const OPEN_FILES: ReadonlySet<string> = new Set(['state.json', 'draft.json']);
const OWN_FILES: ReadonlySet<string> = new Set(['RECEIPT.json', 'receipt.dsse.json']);

/** Verifies receipts, every file that they cover, and their chain; reports every difference. */
export function verifyReceipts(
  home: string,
  only?: string,
): { readonly checked: number; readonly problems: readonly Problem[] } {
  const keys = readVerifyingKeys(join(home, 'keys'));
  const problems: Problem[] = [];
  // Read before the chain, because a run that ends in between extends the chain.
  const head = readReceiptHead(home, keys);
  const chain = checkChain(home, problems);
  const runs = chain.filter(({ run_id }) => only === undefined || run_id === only);
  for (const line of runs) problems.push(...verifyRun(home, line, keys));
  const chained = new Set(chain.map(({ run_id }) => run_id));
  const unchained = listIds(home, 'run').filter(
    (id) =>
      !chained.has(id) &&
      (only === undefined || id === only) &&
      existsSync(join(runFolder(home, id), 'RECEIPT.json')),
  );
  for (const id of unchained) {
    // The process was killed between writing the receipt and the chain; the run is still open and recovery finishes it.
    if (existsSync(join(runFolder(home, id), 'state.json'))) continue;
    problems.push({
      run_id: id,
      file: 'chain.jsonl',
      problem: 'the receipt is not in the chain: the end of the chain was removed',
    });
  }
  const headProblem = checkHead(head, chain);
  if (headProblem !== undefined && !(head === undefined && isFirstOpen(home, chain)))
    problems.push({ run_id: '', file: RECEIPT_HEAD, problem: headProblem });
  return { checked: runs.length, problems };
}

function checkChain(home: string, problems: Problem[]): readonly ChainLine[] {
  try {
    const lines = readChain(chainPath(home));
    for (const [index, line] of lines.entries()) {
      const before = lines[index - 1]?.receipt_hash ?? FIRST;
      if (line.previous_receipt_hash !== before)
        problems.push({
          run_id: line.run_id,
          file: 'chain.jsonl',
          problem: `line ${index + 1} does not follow the previous line`,
        });
    }
    return lines;
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'E_DAMAGED') throw error;
    problems.push({ run_id: '', file: 'chain.jsonl', problem: error.message });
    return [];
  }
}

function verifyRun(home: string, line: ChainLine, keys: readonly VerifyingKey[]): readonly Problem[] {
  const folder = runFolder(home, line.run_id);
  const problems: Problem[] = [];
  const report = (file: string, problem: string): void =>
    void problems.push({ run_id: line.run_id, file, problem });
  const found = readCanonical(join(folder, 'RECEIPT.json'));
  if ('problem' in found) {
    report('RECEIPT.json', found.problem);
    return problems;
  }
  const receipt = found.value as Receipt;
  if (hashReceipt(receipt) !== receipt.receipt_hash) {
    // The receipt cannot be trusted, so nothing else is checked against it.
    report('RECEIPT.json', 'its content does not match its hash');
    return problems;
  }
  if (!agrees(receipt, line)) report('chain.jsonl', 'the line of this run differs from its receipt');
  verifySignature(folder, receipt, keys, report);
  const covered = new Map(receipt.proof_artifacts.map((proof) => [proof.path, proof]));
  const retired = readRetiredFiles(folder, receipt, keys);
  for (const { path, sha256: digest } of covered.values()) {
    const bytes = readCovered(join(folder, path));
    if (bytes === undefined && retired.has(path)) continue;
    if (bytes === undefined) report(path, 'is missing');
    else if (bytes === UNREADABLE) report(path, UNREADABLE);
    else if (sha256(bytes) !== digest) report(path, 'was changed');
  }
  const names = readdirSync(folder);
  const isOpenRun = names.includes('state.json');
  for (const name of names) {
    // A process that was killed right after issuing the receipt leaves these two files; recovery deletes them.
    if (isOpenRun && OPEN_FILES.has(name)) continue;
    if (name === RETIRED_PROOFS && retired.size > 0) continue;
    if (!OWN_FILES.has(name) && !covered.has(name)) report(name, 'is not covered by the receipt');
  }
  return problems;
}

function verifySignature(
  folder: string,
  receipt: Receipt,
  keys: readonly VerifyingKey[],
  report: (file: string, problem: string) => void,
): void {
  const envelope = readCanonical(join(folder, 'receipt.dsse.json'));
  if ('problem' in envelope) return report('receipt.dsse.json', envelope.problem);
  if (keys.length === 0)
    return report('receipt.dsse.json', 'the public key keys/receipts.pub.pem is missing');
  const statement = openEnvelope(envelope.value, keys);
  if (statement === undefined) return report('receipt.dsse.json', 'its signature is invalid');
  if (statement !== renderStatement(receipt)) return report('RECEIPT.json', 'differs from what was signed');
  return undefined;
}

function agrees(receipt: Receipt, line: ChainLine): boolean {
  return canonicalJson(line) === canonicalJson(chainLineOf(receipt));
}

const UNREADABLE = 'is not a file, or is too large';

/** Reads a file of a run. If it cannot be read, the verification of the other files continues. */
function readCovered(path: string): Buffer | typeof UNREADABLE | undefined {
  try {
    return readOwnBytes(path, { maxBytes: MAX_BYTES, hint: '' });
  } catch (error) {
    if (isDamaged(error)) return UNREADABLE;
    throw error;
  }
}

/** Reads a document that must be in its canonical form; otherwise returns the problem. */
function readCanonical(path: string): { readonly value: object } | { readonly problem: string } {
  const bytes = readCovered(path);
  if (bytes === undefined) return { problem: 'is missing' };
  if (bytes === UNREADABLE) return { problem: UNREADABLE };
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    const isCanonical = isPlainObject(value) && bytes.equals(Buffer.from(renderDocument(value)));
    return isCanonical ? { value } : { problem: 'was changed' };
  } catch {
    return { problem: 'was changed' };
  }
}
