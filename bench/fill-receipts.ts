/**
 * Adds receipts of a long use to a home that has run an item: node bench/fill-receipts.ts <home> <receipts>
 * Each is a copy of the last one with an id and a time of its own, signed and in the chain; its files are links to those of the run.
 */
import { appendFileSync, linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createId } from '../src/base/ids.ts';
import { canonicalJson } from '../src/base/json.ts';
import { chainLineOf } from '../src/work/receipt/chain-line.ts';
import { signEnvelope } from '../src/work/receipt/dsse.ts';
import { readReceipt } from '../src/work/receipt/read-receipt.ts';
import { readChain } from '../src/work/receipt/receipt-chain.ts';
import { writeReceiptHead } from '../src/work/receipt/receipt-head.ts';
import { hashReceipt, renderDocument, type Receipt } from '../src/work/receipt/receipt.ts';
import { openSigningKey } from '../src/work/receipt/signing-key.ts';
import { renderStatement } from '../src/work/receipt/statement.ts';
import { chainPath, runFolder } from '../src/work/run/run-folder.ts';

export function fillReceipts(home: string, count: number): void {
  const lines = [...readChain(chainPath(home))];
  const last = lines.at(-1);
  const template = last && readReceipt(home, last.run_id);
  if (template === undefined) throw new Error(`${home} has no receipt yet; run an item first.`);
  const key = openSigningKey(join(home, 'keys'));
  const texts: string[] = [];
  let previous = template.receipt_hash;
  for (let index = 0; index < count; index += 1) {
    const nowMs = Date.parse(template.timestamp_iso) + index + 1;
    const runId = createId('run', nowMs);
    const { receipt_hash: _, ...rest } = template;
    const unsigned = {
      ...rest,
      id: crypto.randomUUID(),
      run_id: runId,
      work_item_id: `filled-${index}`,
      work_item_hash: hashReceipt({ ...rest, run_id: runId }),
      timestamp_ns: `${BigInt(nowMs) * 1_000_000n}`,
      timestamp_iso: new Date(nowMs).toISOString(),
      previous_receipt_hash: previous,
    };
    const receipt: Receipt = { ...unsigned, receipt_hash: hashReceipt(unsigned) };
    const folder = runFolder(home, runId);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const { path } of template.proof_artifacts)
      linkSync(join(runFolder(home, template.run_id), path), join(folder, path));
    writeFileSync(join(folder, 'receipt.dsse.json'), renderDocument(signEnvelope(renderStatement(receipt), key)));
    writeFileSync(join(folder, 'RECEIPT.json'), renderDocument(receipt));
    const line = chainLineOf(receipt);
    lines.push(line);
    texts.push(`${canonicalJson(line)}\n`);
    previous = receipt.receipt_hash;
  }
  appendFileSync(chainPath(home), texts.join(''));
  writeReceiptHead(home, lines, key);
}

if (import.meta.main) {
  const [home = '', count = '10000'] = process.argv.slice(2);
  fillReceipts(home, Number(count));
}
