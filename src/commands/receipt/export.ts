import * as v from 'valibot';
import { Fault } from '../../base/fault.ts';
import { described } from '../../base/schema.ts';
import { defineRead } from '../../contract/command.ts';
import { receiptId } from '../work/work-ids.ts';
import { findReceipt } from './find-receipt.ts';

export default defineRead({
  path: 'receipt export',
  summary:
    'Export a receipt for another machine: signed, as SLSA provenance, as a Sigstore bundle, or its key',
  description:
    'Raw output is the content of the file. "receipt verify --file <file> --key <key>" verifies it without the home. ' +
    '"receipt" and "slsa" are DSSE envelopes with an in-toto Statement v1, as cosign verifies them.',
  params: {
    id: receiptId(
      described(
        v.optional(v.pipe(v.string(), v.minLength(1))),
        'Run id or receipt id, or a unique prefix of it; with --as key and no id, the key of this home is exported',
      ),
    ),
    as: described(v.optional(v.picklist(['receipt', 'slsa', 'bundle', 'key']), 'receipt'), 'What to export'),
  },
  positionals: ['id'],
  output: v.object({
    /** Absent for the key of the home. */
    run_id: v.optional(v.string()),
    receipt_id: v.optional(v.string()),
    as: v.picklist(['receipt', 'slsa', 'bundle', 'key']),
    key_id: v.string(),
    public_key: v.string(),
    text: v.string(),
    _untrusted: v.optional(v.array(v.string())),
  }),
  untrusted: ['text'],
  examples: [
    'receipt export run_6a2x74g1q2w8d --format raw',
    'receipt export run_6a2x74g1q2w8d --as key --format raw',
    'receipt export --as key --format raw',
  ],
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_DAMAGED'],
  run: async ({ id, as }, { home }) => {
    const { exportHomeKey, exportReceipt } = await import('../../work/receipt/export-receipt.ts');
    if (id === undefined) {
      if (as !== 'key') throw missingId(as);
      const { text, keyId, pem } = exportHomeKey(home.path);
      return { as, key_id: keyId, public_key: pem, text };
    }
    const { receipt } = findReceipt(home.path, id);
    const { text, keyId, pem } = exportReceipt(home.path, receipt, as);
    return { run_id: receipt.run_id, receipt_id: receipt.id, as, key_id: keyId, public_key: pem, text };
  },
  renderRaw: ({ text }) => text,
});

function missingId(as: string): Fault {
  return new Fault('E_VALIDATION', `Pass the id of a run to export its ${as}.`, {
    hint: '"deed receipt list" shows all receipts. Only --as key needs no id.',
    details: { field: 'id' },
  });
}
