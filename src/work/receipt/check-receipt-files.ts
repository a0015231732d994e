import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { damaged } from '../../base/damaged.ts';
import { chainPath, runFolder } from '../run/run-folder.ts';
import {
  chainEndOf,
  readChain,
  readChainEnd,
  REPAIR_HINT,
  type ChainEnd,
  type ChainLine,
} from './receipt-chain.ts';
import { checkHead, headPath, readReceiptHead } from './receipt-head.ts';
import { FIRST } from './receipt.ts';
import {
  KEY_HINT,
  PRIVATE_KEY,
  PUBLIC_KEY,
  readSigningKey,
  readVerifyingKey,
  readVerifyingKeys,
} from './signing-key.ts';

/**
 * Checks the files that every new receipt depends on: the key pair, the end of the chain and its head. Called before a run starts, because a run
 * whose receipt cannot be issued would stay open. Changes nothing; damage is E_DAMAGED.
 */
export function checkReceiptFiles(home: string): void {
  checkKeys(join(home, 'keys'), existsSync(headPath(home)));
  readCheckedEnd(home);
}

function checkKeys(folder: string, isUsed: boolean): void {
  const [key, known] = [readSigningKey(folder), readVerifyingKey(folder)];
  if (known === undefined && !isUsed) return;
  if (key === undefined) throw damaged(join(folder, PRIVATE_KEY), 'it is missing', KEY_HINT);
  if (known === undefined) throw damaged(join(folder, PUBLIC_KEY), 'it is missing', KEY_HINT);
  if (known.keyId !== key.keyId)
    throw damaged(join(folder, PRIVATE_KEY), `it does not belong to ${PUBLIC_KEY}`, KEY_HINT);
}

/** Reads the chain and compares it with its signed head. */
export function readCheckedChain(home: string): readonly ChainLine[] {
  // The head is read first, because a run that ends in between extends the chain.
  const head = readReceiptHead(home, readVerifyingKeys(join(home, 'keys')));
  const lines = readChain(chainPath(home));
  const problem = checkLinks(lines) ?? checkHead(head, lines);
  if (problem === undefined || (head === undefined && isFirstOpen(home, lines))) return lines;
  if (problem === checkHead(head, lines) && (head === undefined || head === 'changed'))
    throw damaged(headPath(home), `it ${problem}`, REPAIR_HINT);
  throw damaged(chainPath(home), problem, REPAIR_HINT);
}

/**
 * Compares the end of the chain with its signed head. Earlier lines are not parsed, so that a long chain costs little: damage there does not
 * affect a new receipt; "doctor" and "receipt verify" find it. If anything is unusual, the whole chain is read, which says what is wrong.
 */
export function readCheckedEnd(home: string): ChainEnd {
  const head = readReceiptHead(home, readVerifyingKeys(join(home, 'keys')));
  const lines = readChainEnd(chainPath(home)) ?? [];
  if (typeof head === 'object' && checkLinks(lines, lines[0]?.previous_receipt_hash) === undefined) {
    const at = lines.findLastIndex(({ receipt_hash }) => receipt_hash === head.receipt_hash);
    // Lines after the head were written by a process that was killed before it wrote the head.
    if (at !== -1) return { last: lines.at(-1), count: head.count + lines.length - 1 - at };
  }
  return chainEndOf(readCheckedChain(home));
}

/** Finds the first line that does not follow the line before it; `before` is the hash that the first line must name. */
export function checkLinks(lines: readonly ChainLine[], before = FIRST): string | undefined {
  const at = lines.findIndex(
    (line, index) => line.previous_receipt_hash !== (lines[index - 1]?.receipt_hash ?? before),
  );
  return at === -1 ? undefined : `line ${at + 1} does not follow the line before`;
}

/** Whether the process was killed between writing the first line and the first head, so that the head is missing. */
export function isFirstOpen(home: string, [first, ...more]: readonly ChainLine[]): boolean {
  return (
    first !== undefined && more.length === 0 && existsSync(join(runFolder(home, first.run_id), 'state.json'))
  );
}
