import { closeSync, existsSync, fsyncSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { toWellFormed } from '../../base/canonical-json.ts';
import { sha256 } from '../../system/digest.ts';
import { LIMITS } from '../../base/limits.ts';
import { readBytesIfPresent, writeFileDurably } from '../../system/durable-file.ts';
import { withLock } from '../../system/lock.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { chainPath, runFolder } from '../run/run-folder.ts';
import { signEnvelope } from './dsse.ts';
import { readCheckedChain, readCheckedEnd } from './check-receipt-files.ts';
import { chainLineOf } from './chain-line.ts';
import { appendChain, chainEndOf } from './receipt-chain.ts';
import { writeReceiptHead } from './receipt-head.ts';
import { readReceipt } from './read-receipt.ts';
import {
  CANONICALIZATION,
  FIRST,
  hashReceipt,
  renderDocument,
  type ProofArtifact,
  type Receipt,
} from './receipt.ts';
import { openSigningKey, type SigningKey } from './signing-key.ts';
import { renderStatement } from './statement.ts';

/** The files of a run that a receipt can cover, in the order in which it lists them. */
export const PROOF_FILES = [
  'item.json',
  'capsule.json',
  'changes.json',
  'journal.json',
  'result.json',
  'stdout.log',
  'stderr.log',
  'output.ndjson',
  'test.log',
  'setup.log',
  'cassette.json',
  'replay.sh',
] as const;

const RECEIPT = 'RECEIPT.json';

/** Files that are appended to during a run; a receipt must not be on disk before what it covers. */
const APPENDED = /\.(?:log|ndjson)$/u;

const MAX_PROOF_BYTES = 64 * 1024 * 1024;

/** A receipt without the fields that depend on its position in the chain. */
export type UnsignedReceipt = Omit<
  Receipt,
  | 'canonicalization'
  | 'receipt_hash'
  | 'run_hash'
  | 'previous_receipt_hash'
  | 'proof_artifacts'
  | 'timestamp_ns'
  | 'timestamp_iso'
>;

export interface IssueRequest {
  readonly home: string;
  readonly runId: string;
  /** Writes the other files of the run and returns the receipt; called with the hash of the previous run, under the lock of the chain. */
  readonly prepare: (previousRunHash: string) => {
    readonly receipt: UnsignedReceipt;
    readonly runHash: string;
    readonly nowMs: number;
  };
}

/**
 * Issues the signed receipt of a run and appends it to the chain. One at a time across processes. Idempotent: a run that is already
 * in the chain keeps its receipt; missing files after a crash are written again.
 */
export async function issueReceipt({ home, runId, prepare }: IssueRequest): Promise<Receipt> {
  const folder = runFolder(home, runId);
  ensurePrivateFolder(folder);
  return withLock(
    `${chainPath(home)}.lock`,
    () => {
      const end = readCheckedEnd(home);
      const key = openSigningKey(join(home, 'keys'));
      // The receipt is written before its line, so a run without one is not in the chain.
      const present = existsSync(join(folder, RECEIPT)) ? findIssued(home, runId, key) : undefined;
      if (present !== undefined) return present;
      removeTemporaryFiles(folder);
      const { last } = end;
      const { receipt: prepared, runHash, nowMs } = prepare(last?.run_hash ?? FIRST);
      const unsigned: Omit<Receipt, 'receipt_hash'> = toWellFormed({
        canonicalization: CANONICALIZATION,
        ...prepared,
        run_hash: runHash,
        timestamp_ns: `${BigInt(Math.round(nowMs)) * 1_000_000n}`,
        timestamp_iso: new Date(nowMs).toISOString(),
        proof_artifacts: describeProofs(folder),
        previous_receipt_hash: last?.receipt_hash ?? FIRST,
      });
      const receipt: Receipt = { ...unsigned, receipt_hash: hashReceipt(unsigned) };
      const envelope = signEnvelope(renderStatement(receipt), key);
      writeFileDurably(join(folder, 'receipt.dsse.json'), renderDocument(envelope));
      writeFileDurably(join(folder, RECEIPT), renderDocument(receipt));
      const line = chainLineOf(receipt);
      appendChain(chainPath(home), line);
      writeReceiptHead(home, { last: line, count: end.count + 1 }, key);
      return receipt;
    },
    { waitMs: LIMITS.auditWaitMs },
  );
}

/** The receipt of a run that is in the chain. An earlier process may have exited between writing its line and the head. */
function findIssued(home: string, runId: string, key: SigningKey): Receipt | undefined {
  const lines = readCheckedChain(home);
  const known = lines.find((line) => line.run_id === runId);
  const present = known && readReceipt(home, runId);
  if (present !== undefined && known === lines.at(-1)) writeReceiptHead(home, chainEndOf(lines), key);
  return present;
}

/** Removes temporary files of a process that was killed during a write. */
function removeTemporaryFiles(folder: string): void {
  for (const name of readdirSync(folder))
    if (name.endsWith('.tmp')) rmSync(join(folder, name), { force: true });
}

function describeProofs(folder: string): readonly ProofArtifact[] {
  return PROOF_FILES.flatMap((name) => {
    const path = join(folder, name);
    const bytes = readBytesIfPresent(path, MAX_PROOF_BYTES);
    if (bytes !== undefined && APPENDED.test(name)) flushFile(path);
    return bytes === undefined ? [] : [{ path: name, sha256: sha256(bytes), bytes: bytes.length }];
  });
}

function flushFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Writes a file of a run, or deletes one of an interrupted earlier attempt if there is no content. */
export function writeCoveredFile(
  folder: string,
  name: (typeof PROOF_FILES)[number],
  content: string | undefined,
  mode = 0o600,
): void {
  const path = join(folder, name);
  if (content === undefined) rmSync(path, { force: true });
  else writeFileDurably(path, content, { mode });
}
