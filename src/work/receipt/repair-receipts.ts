import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDamaged, unlessDamaged } from '../../base/damaged.ts';
import { canonicalJson } from '../../base/json.ts';
import { LIMITS } from '../../base/limits.ts';
import { writeFileDurably } from '../../system/durable-file.ts';
import { readOwnText } from '../../system/own-file.ts';
import { withLock } from '../../system/lock.ts';
import { chainPath, listIds, runFolder } from '../run/run-folder.ts';
import { chainLineOf } from './chain-line.ts';
import { checkLinks, readCheckedChain } from './check-receipt-files.ts';
import { openEnvelope } from './dsse.ts';
import { readReceipt } from './read-receipt.ts';
import { chainEndOf, readChain, REPAIR_HINT, type ChainLine } from './receipt-chain.ts';
import { headPath, readReceiptHead, writeReceiptHead } from './receipt-head.ts';
import { FIRST } from './receipt.ts';
import { planKeyRepair, setAside, type Repair, type SignedWith } from './repair-keys.ts';
import { openSigningKey, readVerifyingKeys } from './signing-key.ts';

/** Lists the repairs that are possible; changes nothing. */
export function planReceiptRepairs(home: string): readonly Repair[] {
  const keys = planKeyRepair(join(home, 'keys'), signaturesOf(home));
  if (keys !== undefined) return [keys];
  const chain = planChainRepair(home);
  return chain === undefined ? [] : [chain];
}

/**
 * Repairs the keys, the chain and its head as far as the receipts allow; one at a time with new receipts. Returns what was repaired.
 */
export async function repairReceipts(home: string): Promise<readonly Repair[]> {
  if (!existsSync(join(home, 'runs'))) return [];
  return withLock(
    `${chainPath(home)}.lock`,
    () => {
      const done: Repair[] = [];
      // A repaired key allows the repair of the head.
      for (let round = 0; round < 3; round += 1) {
        const [next] = planReceiptRepairs(home);
        if (next === undefined) break;
        next.apply();
        done.push(next);
      }
      return done;
    },
    { waitMs: LIMITS.auditWaitMs },
  );
}

function planChainRepair(home: string): Repair | undefined {
  const rebuilt = rebuildChain(home);
  if (!isBroken(home, rebuilt)) return undefined;
  const keys = unlessDamaged(() => readVerifyingKeys(join(home, 'keys')));
  const head = keys && unlessDamaged(() => readReceiptHead(home, keys));
  const lines = intactChain(home, rebuilt) ?? rebuilt;
  if (lines === undefined || lines.length === 0) return undefined;
  if (head === undefined || head === 'changed') {
    const path = headPath(home);
    return {
      path,
      repair: `is missing or damaged; it is signed again for the ${lines.length} receipts of the chain`,
      apply: () => {
        setAside(path);
        writeChain(home, lines);
        writeReceiptHead(home, chainEndOf(lines), openSigningKey(join(home, 'keys')));
      },
    };
  }
  if (rebuilt === undefined || rebuilt[head.count - 1]?.receipt_hash !== head.receipt_hash) return undefined;
  return {
    path: chainPath(home),
    repair: `is damaged; it is rebuilt from ${rebuilt.length} receipts, which match its signed head`,
    apply: () => {
      setAside(chainPath(home));
      writeChain(home, rebuilt);
    },
  };
}

/** Whether the chain is damaged, or a line differs from its receipt: a changed byte can leave a valid line. */
function isBroken(home: string, rebuilt: readonly ChainLine[] = []): boolean {
  try {
    return differ(readCheckedChain(home), rebuilt);
  } catch (error) {
    if (isDamaged(error)) return true;
    throw error;
  }
}

/** Whether two chains differ where both have a line. */
function differ(chain: readonly ChainLine[], other: readonly ChainLine[]): boolean {
  return chain.some((line, index) => {
    const same = other[index];
    return same !== undefined && canonicalJson(line) !== canonicalJson(same);
  });
}

/** The chain, if every line is intact and follows the line before it. */
function intactChain(home: string, rebuilt: readonly ChainLine[] = []): readonly ChainLine[] | undefined {
  const lines = unlessDamaged(() => readChain(chainPath(home))) ?? [];
  // A shorter chain than the receipts has lost its end.
  if (lines.length === 0 || rebuilt.length > lines.length || differ(lines, rebuilt)) return undefined;
  return checkLinks(lines) === undefined ? lines : undefined;
}

/** Orders all receipts by their links; undefined if one is damaged or the links have a gap. */
function rebuildChain(home: string): readonly ChainLine[] | undefined {
  const receipts = unlessDamaged(() => listIds(home, 'run').flatMap((id) => readReceipt(home, id) ?? []));
  if (receipts === undefined) return undefined;
  const next = new Map(receipts.map((receipt) => [receipt.previous_receipt_hash, chainLineOf(receipt)]));
  const lines: ChainLine[] = [];
  for (let line = next.get(FIRST); line !== undefined; line = next.get(line.receipt_hash)) {
    lines.push(line);
    if (lines.length > next.size) return undefined;
  }
  return lines.length === next.size ? lines : undefined;
}

function writeChain(home: string, lines: readonly ChainLine[]): void {
  writeFileDurably(chainPath(home), lines.map((line) => `${canonicalJson(line)}\n`).join(''));
}

const NEWEST = 20;

/** Tells which key signed the newest receipts. Without any receipt, every key may have. */
function signaturesOf(home: string): SignedWith {
  const envelopes = listIds(home, 'run')
    .slice(0, NEWEST)
    .map((id) => join(runFolder(home, id), 'receipt.dsse.json'))
    .flatMap((path) => unlessDamaged(() => readOwnText(path, { hint: REPAIR_HINT })) ?? [])
    .map(parse);
  return (publicKey, keyId) =>
    envelopes.length === 0 ||
    envelopes.some((envelope) => openEnvelope(envelope, [{ publicKey, keyId }]) !== undefined);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
