import * as v from 'valibot';
import { described, int } from '../../base/schema.ts';
import { Fault } from '../../base/fault.ts';
import { defineRead } from '../../contract/command.ts';
import { receiptId } from '../work/work-ids.ts';
import { findReceipt } from './find-receipt.ts';
import { ledgerSchema } from './ledger-schema.ts';

const text = () => v.optional(v.pipe(v.string(), v.minLength(1)));

export default defineRead({
  path: 'receipt verify',
  summary: 'Verify signatures, hashes and the chain of receipts',
  params: {
    id: receiptId(
      described(
        v.optional(v.pipe(v.string(), v.minLength(1))),
        'Verify only this run or receipt (default: all)',
      ),
    ),
    file: described(text(), 'Verify a file of "receipt export" instead, without the home that made it'),
    key: described(text(), 'With --file: the public key of the signer, as PEM'),
    root: described(
      text(),
      'With --file: compare the files of this folder with the receipt; with --ledger: the clone (default: the current folder)',
    ),
    ledger: described(
      v.optional(v.boolean(), false),
      'Verify the ledger of promotions in the remote of a clone instead, with the keys of trusted workers and integrators',
    ),
    keys: described(text(), 'With --ledger: a folder with the keyring (default: the keyring of the home)'),
    exclusive: described(
      v.optional(v.boolean(), false),
      'With --ledger: fail if a branch has commits that no entry names',
    ),
  },
  positionals: ['id'],
  output: v.object({
    checked: int(),
    valid: v.literal(true),
    /** Only for a file. */
    run_id: v.optional(v.string()),
    receipt_id: v.optional(v.string()),
    status: v.optional(v.string()),
    predicate_type: v.optional(v.string()),
    key_id: v.optional(v.string()),
    output_hash: v.optional(v.string()),
    branch: v.optional(v.string()),
    commit: v.optional(v.string()),
    files: v.optional(int()),
    ledger: v.optional(ledgerSchema),
  }),
  examples: [
    'receipt verify',
    'receipt verify run_6a2x74g1q2w8d',
    'receipt verify --file receipt.json --key deed.pub.pem',
    'receipt verify --ledger',
    'receipt verify --ledger --root checkout --keys trusted-keys --exclusive',
  ],
  errors: ['E_NOT_FOUND', 'E_DAMAGED', 'E_VALIDATION', 'E_CONFIG', 'E_NETWORK', 'E_FORBIDDEN'],
  run: async ({ id, file, key, root, ledger, keys, exclusive }, context) => {
    const { home, system } = context;
    if (ledger || keys !== undefined || exclusive) {
      const { verifyRemoteLedger } = await import('./verify-remote-ledger.ts');
      return verifyRemoteLedger({ id, file, key, root, ledger, keys, exclusive }, context);
    }
    if (file !== undefined || key !== undefined || root !== undefined) {
      const { verifyExported } = await import('./verify-exported.ts');
      return verifyExported({ id, file, key, root }, system.cwd);
    }
    const only = id === undefined ? undefined : findReceipt(home.path, id).receipt.run_id;
    const { verifyReceipts } = await import('../../work/receipt/verify-receipts.ts');
    const { checked, problems } = verifyReceipts(home.path, only);
    const [first] = problems;
    if (first === undefined) return { checked, valid: true as const };
    throw new Fault(
      'E_DAMAGED',
      `${first.file}${first.run_id ? ` of ${first.run_id}` : ''}: ${first.problem.replace(/\.$/u, '')}.`,
      {
        hint: 'The files differ from what was signed. Restore them from a backup; do not rely on their content.',
        details: { checked, problems: problems.map((problem) => ({ ...problem })) },
      },
    );
  },
});
