import * as v from 'valibot';
import { int } from '../../base/schema.ts';

/** What a verified ledger shows. */
export const ledgerSchema = v.object({
  remote: v.string(),
  commit: v.string(),
  entries: int(),
  branches: v.array(
    v.object({
      branch: v.string(),
      tip: v.nullable(v.string()),
      promoted: int(),
      others: int(),
      other_commits: v.array(v.string()),
    }),
  ),
  signers: v.array(
    v.object({ key_id: v.string(), name: v.nullable(v.string()), receipts: int(), linked: int() }),
  ),
  notices: v.array(v.string()),
});
