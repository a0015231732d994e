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
  decision: v.picklist(['approved', 'rejected']),
  job_id: v.string(),
  item_id: v.string(),
  attempt: int(),
  run_id: v.string(),
  /** The commit that was approved; null if the run changed nothing. */
  commit: v.nullable(commitId()),
  receipt_hash: v.string(),
  approver_key_id: v.string(),
  /** The account of the person or the program. */
  by: v.string(),
  at: v.string(),
  note: v.optional(v.string()),
});

/** What an approver signs about the result of a run on another host: it cannot be used for another result. */
export type SignedApproval = Readonly<v.InferOutput<typeof SCHEMA>>;

const APPROVAL: StatementKind<SignedApproval> = {
  name: 'approval',
  signer: 'approver',
  predicateType: 'https://github.com/deed-cli/deed/approval/v1',
  subject: ({ run_id: name, receipt_hash: sha256 }) => ({ name, digest: { sha256 } }),
  schema: SCHEMA,
  keyId: ({ approver_key_id }) => approver_key_id,
};

export function signApproval(approval: SignedApproval, key: SigningKey): SignedStatement {
  return signStatement(APPROVAL, approval, key);
}

export function openApproval(text: string, keys: readonly VerifyingKey[]): OpenedStatement<SignedApproval> {
  return openStatement(APPROVAL, text, keys);
}
