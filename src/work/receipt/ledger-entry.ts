import * as v from 'valibot';
import { int, strictObject } from '../../base/schema.ts';
import { commitId } from './commit-id.ts';
import {
  openStatement,
  signStatement,
  type OpenedStatement,
  type SignedStatement,
  type StatementKind,
} from './signed-statement.ts';
import type { SigningKey, VerifyingKey } from './signing-key.ts';

const SCHEMA = strictObject({
  version: v.literal(1),
  /** The number of the entry, from 1. */
  sequence: v.pipe(int(), v.minValue(1)),
  /** The hash of the entry before it; 64 zeros for the first one. */
  previous: v.string(),
  job_id: v.string(),
  item_id: v.string(),
  item_hash: v.string(),
  attempt: int(),
  run_id: v.string(),
  branch: v.string(),
  /** The commit that the run started from. */
  base: v.nullable(commitId()),
  /** The commit of the run; null if it changed nothing. */
  result: v.nullable(commitId()),
  /** The tip of the branch before and after. The second is not the result if the integrator merged it. */
  before: commitId(),
  after: commitId(),
  receipt_hash: v.string(),
  worker_key_id: v.string(),
  /** The hash of the approval, if a person had to approve the result. */
  approval_hash: v.optional(v.string()),
  integrator_key_id: v.string(),
  /** The process that landed it. */
  integrator: v.string(),
  at: v.string(),
});

/** An entry of the ledger: an integrator signs that the result of an item landed on a branch. */
export type LedgerEntry = Readonly<v.InferOutput<typeof SCHEMA>>;

const LEDGER_ENTRY: StatementKind<LedgerEntry> = {
  name: 'entry',
  signer: 'integrator',
  predicateType: 'https://github.com/deed-cli/deed/promotion/v1',
  subject: ({ branch, after }) => ({ name: branch, digest: { gitCommit: after } }),
  schema: SCHEMA,
  keyId: ({ integrator_key_id }) => integrator_key_id,
};

/** Signs an entry, about the tip of the branch. The next entry names its hash as `previous`. */
export function signLedgerEntry(entry: LedgerEntry, key: SigningKey): SignedStatement {
  return signStatement(LEDGER_ENTRY, entry, key);
}

/** Checks the signature and the form of an entry. One whose signature is not valid still has a hash, so that the next one can be checked. */
export function openLedgerEntry(text: string, keys: readonly VerifyingKey[]): OpenedStatement<LedgerEntry> {
  return openStatement(LEDGER_ENTRY, text, keys);
}
