import * as v from 'valibot';
import { renderCanonical } from '../../base/canonical-json.ts';
import { sha256 } from '../../system/digest.ts';
import { isPlainObject, type JsonObject } from '../../base/json.ts';
import { tryParseJson } from '../../base/parse-json.ts';
import { openEnvelope, signEnvelope } from './dsse.ts';
import type { SigningKey, VerifyingKey } from './signing-key.ts';
import { STATEMENT_TYPE } from './statement.ts';

/** A kind of document that is signed: a DSSE envelope with an in-toto Statement v1. */
export interface StatementKind<T> {
  /** What it is called in a problem: `is not the statement of <name>`. */
  readonly name: string;
  /** Who may sign it. */
  readonly signer: string;
  readonly predicateType: string;
  readonly subject: (document: T) => JsonObject;
  readonly schema: v.GenericSchema<unknown, T>;
  /** The key that the document itself names. */
  readonly keyId: (document: T) => string;
}

/** A signed statement, with the hash of the statement without its signature. */
export interface SignedStatement {
  readonly text: string;
  readonly hash: string;
}

/** A document as it was read. One whose signature is not valid still has a hash. */
export type OpenedStatement<T> =
  | { readonly document: T; readonly hash: string }
  | { readonly problem: string; readonly signer?: string; readonly hash?: string };

export function signStatement<T extends object>(
  kind: StatementKind<T>,
  document: T,
  key: SigningKey,
): SignedStatement {
  const statement = render(kind, document);
  return { text: `${JSON.stringify(signEnvelope(statement, key))}\n`, hash: sha256(statement) };
}

/** Checks the signature and the form of a document. */
export function openStatement<T extends object>(
  kind: StatementKind<T>,
  text: string,
  keys: readonly VerifyingKey[],
): OpenedStatement<T> {
  const { envelope, signer, hash } = readEnvelope(text);
  if (hash === undefined) return { problem: `is not a signed ${kind.name}` };
  const statement = openEnvelope(envelope, keys);
  if (statement === undefined) {
    const isKnown = keys.some(({ keyId }) => keyId === signer);
    const problem = isKnown
      ? 'its signature is invalid'
      : `it was signed with the key ${signer}, which does not belong to a trusted ${kind.signer}`;
    return { problem, signer, hash };
  }
  const document = parse(kind, statement);
  if (document === undefined) return { problem: `is not the statement of ${kind.name}`, hash };
  if (kind.keyId(document) !== signer)
    return { problem: 'names a key other than the one that signed it', hash };
  return { document, hash };
}

function readEnvelope(text: string): { envelope?: unknown; signer: string; hash?: string } {
  const envelope = tryParseJson(text);
  if (!isPlainObject(envelope) || typeof envelope.payload !== 'string' || !Array.isArray(envelope.signatures))
    return { signer: '' };
  const [first] = envelope.signatures as unknown[];
  const signer = isPlainObject(first) ? String(first.keyid) : '';
  return { envelope, signer, hash: sha256(Buffer.from(envelope.payload, 'base64')) };
}

/** Only the form in which documents are written is accepted, so that no member of a statement is ignored. */
function parse<T extends object>(kind: StatementKind<T>, statement: string): T | undefined {
  const value = tryParseJson(statement);
  const parsed = v.safeParse(kind.schema, isPlainObject(value) ? value.predicate : undefined);
  return parsed.success && render(kind, parsed.output) === statement ? parsed.output : undefined;
}

function render<T extends object>(kind: StatementKind<T>, document: T): string {
  return renderCanonical({
    _type: STATEMENT_TYPE,
    subject: [kind.subject(document)],
    predicateType: kind.predicateType,
    predicate: document as JsonObject,
  });
}
