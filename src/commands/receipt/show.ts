import { join } from 'node:path';
import * as v from 'valibot';
import { described, record } from '../../base/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { receiptId } from '../work/work-ids.ts';
import { findReceipt } from './find-receipt.ts';

export default defineRead({
  path: 'receipt show',
  summary: 'Show a receipt with its signature and the public key',
  description: 'Raw output is the signed envelope (DSSE), which any in-toto verifier accepts.',
  params: {
    id: receiptId(
      described(v.pipe(v.string(), v.minLength(1)), 'Run id or receipt id, or a unique prefix of it'),
    ),
  },
  positionals: ['id'],
  output: v.object({
    receipt: record(v.unknown()),
    envelope: record(v.unknown()),
    public_key: v.nullable(v.string()),
    path: v.string(),
    _untrusted: v.optional(v.array(v.string())),
  }),
  untrusted: ['receipt'],
  examples: ['receipt show run_6a2x74g1q2w8d', 'receipt show run_6a2x74g1q2w8d --format raw'],
  errors: ['E_NOT_FOUND', 'E_DAMAGED'],
  run: async ({ id }, { home }) => {
    const { readSignature } = await import('../../work/receipt/read-signature.ts');
    const { receipt, folder } = findReceipt(home.path, id);
    const { envelope, pem } = readSignature(home.path, receipt);
    return {
      receipt: { ...receipt },
      envelope: { ...envelope },
      public_key: pem ?? null,
      path: join(folder, 'RECEIPT.json'),
    };
  },
  renderRaw: ({ envelope }) => `${JSON.stringify(envelope)}\n`,
});
