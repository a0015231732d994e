import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../base/digest.ts';
import { LIMITS } from '../../base/limits.ts';
import { readBytesIfPresent, writeFileDurably } from '../../system/durable-file.ts';
import { withLock } from '../../system/lock.ts';
import { ensurePrivateFolder } from '../../system/private-folder.ts';
import { chainPath, runFolder } from '../run/run-folder.ts';
import { readDocument } from '../run/json-document.ts';
import { signEnvelope } from './dsse.ts';
import { appendChain, chainHead, readChain, type ChainLine } from './receipt-chain.ts';
import { writeReceiptHead } from './receipt-head.ts';
import { hashReceipt, renderDocument, type ProofArtifact, type Receipt } from './receipt.ts';
import { openSigningKey } from './signing-key.ts';
import { renderStatement } from './statement.ts';

/** The files of a run that a receipt may vouch for, in the order in which it lists them. */
export const PROOF_FILES = [
  'item.json',
  'capsule.json',
  'changes.json',
  'result.json',
  'stdout.log',
  'stderr.log',
  'test.log',
  'cassette.json',
  'replay.sh',
] as const;

const MAX_PROOF_BYTES = 64 * 1024 * 1024;

/** What is left to say once the place in the chain is known. */
export type UnsignedReceipt = Omit<
  Receipt,
  'receipt_hash' | 'run_hash' | 'previous_receipt_hash' | 'proof_artifacts' | 'timestamp_ns' | 'timestamp_iso'
>;

export interface Issue {
  readonly home: string;
  readonly runId: string;
  /** Writes the other files of the run and gives what the receipt says; called with the place in the chain, under its lock. */
  readonly prepare: (previousRunHash: string) => {
    readonly receipt: UnsignedReceipt;
    readonly runHash: string;
    readonly nowMs: number;
  };
}

/**
 * Gives a run its receipt: signed, and next in the chain. One at a time over all processes. A run that is in the chain already
 * keeps what it has; one whose files a crash cut short gets them again.
 */
export async function issueReceipt({ home, runId, prepare }: Issue): Promise<Receipt> {
  const folder = runFolder(home, runId);
  ensurePrivateFolder(folder);
  return withLock(
    `${chainPath(home)}.lock`,
    () => {
      const lines = readChain(chainPath(home));
      const known = lines.find((line) => line.run_id === runId);
      const present = known && readDocument<Receipt>(join(folder, 'RECEIPT.json'));
      const key = openSigningKey(join(home, 'keys'));
      if (present !== undefined) {
        // The first time may have ended between the line and the head.
        if (known === lines.at(-1)) writeReceiptHead(home, lines, key);
        return present;
      }
      removeHalfWritten(folder);
      const head = chainHead(lines);
      const { receipt: said, runHash, nowMs } = prepare(head.runHash);
      const unsigned: Omit<Receipt, 'receipt_hash'> = {
        ...said,
        run_hash: runHash,
        timestamp_ns: `${BigInt(Math.round(nowMs)) * 1_000_000n}`,
        timestamp_iso: new Date(nowMs).toISOString(),
        proof_artifacts: describeProofs(folder),
        previous_receipt_hash: head.receiptHash,
      };
      const receipt = JSON.parse(
        JSON.stringify({
          ...unsigned,
          receipt_hash: hashReceipt(JSON.parse(JSON.stringify(unsigned)) as typeof unsigned),
        }),
      ) as Receipt;
      const envelope = signEnvelope(renderStatement(receipt), key);
      writeFileDurably(join(folder, 'receipt.dsse.json'), renderDocument(envelope));
      writeFileDurably(join(folder, 'RECEIPT.json'), renderDocument(receipt));
      const line: ChainLine = {
        run_id: runId,
        receipt_id: receipt.id,
        receipt_hash: receipt.receipt_hash,
        previous_receipt_hash: receipt.previous_receipt_hash,
        run_hash: runHash,
        status: receipt.status,
        phase: receipt.phase,
        root: receipt.root,
        work_item_hash: receipt.work_item_hash,
        before_hash: receipt.before_hash,
        after_hash: receipt.after_hash,
        timestamp_iso: receipt.timestamp_iso,
      };
      appendChain(chainPath(home), line);
      writeReceiptHead(home, [...lines, line], key);
      return receipt;
    },
    { waitMs: LIMITS.auditWaitMs },
  );
}

/** A process that was killed while it wrote leaves the beginning of a file under another name. */
function removeHalfWritten(folder: string): void {
  for (const name of readdirSync(folder))
    if (name.endsWith('.tmp')) rmSync(join(folder, name), { force: true });
}

function describeProofs(folder: string): readonly ProofArtifact[] {
  return PROOF_FILES.flatMap((name) => {
    const path = join(folder, name);
    const bytes = readBytesIfPresent(path, MAX_PROOF_BYTES);
    return bytes === undefined ? [] : [{ path: name, sha256: sha256(bytes), bytes: bytes.length }];
  });
}

/** Writes a file of a run, or takes it away when there is nothing to say, as after a first attempt that a crash cut short. */
export function placeProof(
  folder: string,
  name: (typeof PROOF_FILES)[number],
  content: string | undefined,
  mode = 0o600,
): void {
  const path = join(folder, name);
  if (content === undefined) rmSync(path, { force: true });
  else writeFileDurably(path, content, { mode });
}
