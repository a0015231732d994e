import { sha256 } from '../../system/digest.ts';
import type { JsonObject } from '../../base/json.ts';
import { renderCanonically, renderDocument, type Receipt } from './receipt.ts';

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
export const PREDICATE_TYPE = 'https://github.com/deed-cli/deed/receipt/v1';

/**
 * Renders the in-toto Statement v1 whose subjects are the receipt and each file that the run promoted. The digest is that of
 * RECEIPT.json: a receipt that was parsed from a statement has lost the order of its members.
 */
export function renderStatement(receipt: Receipt, digestOfFile = sha256(renderDocument(receipt))): string {
  const files = receipt.artifacts.flatMap(({ path, sha256: digest, content_hash }) =>
    path === undefined || digest === undefined || content_hash === null
      ? []
      : [{ name: path, digest: { sha256: digest, blake3: content_hash } }],
  );
  const statement: JsonObject = {
    _type: STATEMENT_TYPE,
    subject: [{ name: 'RECEIPT.json', digest: { sha256: digestOfFile } }, ...files],
    predicateType: PREDICATE_TYPE,
    predicate: receipt as unknown as JsonObject,
  };
  return renderCanonically(receipt, statement);
}
