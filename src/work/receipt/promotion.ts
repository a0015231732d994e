import * as v from 'valibot';
import { renderCanonical } from '../../base/canonical-json.ts';
import { sha256 } from '../../base/digest.ts';
import { isPlainObject } from '../../base/json.ts';
import { tryParseJson } from '../../base/parse-json.ts';
import { int, strictObject } from '../../base/schema.ts';
import { commitId } from './commit-id.ts';
import { openEnvelope, signEnvelope } from './dsse.ts';
import type { SigningKey, VerifyingKey } from './signing-key.ts';
import { STATEMENT_TYPE } from './statement.ts';

const PROMOTION_TYPE = 'https://github.com/deed-cli/deed/promotion/v1';

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
  integrator_key_id: v.string(),
  /** The process that landed it. */
  integrator: v.string(),
  at: v.string(),
});

/** An entry of the ledger: an integrator signs that the result of an item landed on a branch. */
export type Promotion = Readonly<v.InferOutput<typeof SCHEMA>>;

/** The hash of an entry is that of its statement: what the next entry names as `previous`. */
export interface SignedPromotion {
  readonly text: string;
  readonly hash: string;
}

/** An entry as it was read. An entry whose signature is not valid still has a hash, so that the next one can be checked. */
export type OpenedPromotion =
  | { readonly promotion: Promotion; readonly hash: string }
  | { readonly problem: string; readonly hash?: string };

/** Signs an entry: a DSSE envelope with an in-toto Statement v1 about the tip of the branch. */
export function signPromotion(promotion: Promotion, key: SigningKey): SignedPromotion {
  const statement = renderStatement(promotion);
  return { text: `${JSON.stringify(signEnvelope(statement, key))}\n`, hash: sha256(statement) };
}

/** Checks the signature and the form of an entry. */
export function openPromotion(text: string, keys: readonly VerifyingKey[]): OpenedPromotion {
  const { envelope, signer, hash } = readEnvelope(text);
  if (hash === undefined) return { problem: 'is not a signed entry' };
  const statement = openEnvelope(envelope, keys);
  if (statement === undefined) {
    const isKnown = keys.some(({ keyId }) => keyId === signer);
    const problem = isKnown
      ? 'its signature is invalid'
      : `it was signed with the key ${signer}, which is not that of a trusted integrator`;
    return { problem, hash };
  }
  const promotion = parsePromotion(statement);
  if (promotion === undefined) return { problem: 'is not the statement of a promotion', hash };
  if (promotion.integrator_key_id !== signer) return { problem: 'names another key than its own', hash };
  return { promotion, hash };
}

function readEnvelope(text: string): { envelope?: unknown; signer?: string; hash?: string } {
  const envelope = tryParseJson(text);
  if (!isPlainObject(envelope) || typeof envelope.payload !== 'string' || !Array.isArray(envelope.signatures))
    return {};
  const [first] = envelope.signatures as unknown[];
  const signer = isPlainObject(first) ? String(first.keyid) : '';
  return { envelope, signer, hash: sha256(Buffer.from(envelope.payload, 'base64')) };
}

/** Only the form in which entries are written is accepted, so that no member of a statement is ignored. */
function parsePromotion(statement: string): Promotion | undefined {
  const value = tryParseJson(statement);
  const parsed = v.safeParse(SCHEMA, isPlainObject(value) ? value.predicate : undefined);
  return parsed.success && renderStatement(parsed.output) === statement ? parsed.output : undefined;
}

function renderStatement(promotion: Promotion): string {
  return renderCanonical({
    _type: STATEMENT_TYPE,
    subject: [{ name: promotion.branch, digest: { gitCommit: promotion.after } }],
    predicateType: PROMOTION_TYPE,
    predicate: promotion,
  });
}
