import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { isPlainObject } from '../../base/json.ts';
import { readFileIfPresent } from '../../system/durable-file.ts';
import { openEnvelope } from './dsse.ts';
import { MAX_KEY_BYTES, parsePublicKey } from './public-key.ts';
import { hashReceipt, type Receipt } from './receipt.ts';
import type { VerifyingKey } from './signing-key.ts';
import { SLSA_TYPE } from './slsa-statement.ts';
import { PREDICATE_TYPE, renderStatement, STATEMENT_TYPE } from './statement.ts';

export interface FileRequest {
  /** The content of the exported file. */
  readonly text: string;
  /** The public key as PEM. */
  readonly pem: string;
  /** A folder in which the subjects are compared, such as a checkout of the branch. */
  readonly root?: string | undefined;
}

export interface VerifiedFile {
  readonly predicateType: string;
  readonly keyId: string;
  readonly runId: string;
  /** Undefined for provenance, which does not contain the receipt. */
  readonly receipt: Receipt | undefined;
  /** The number of files that were compared. */
  readonly files: number;
}

interface Subject {
  readonly name: string;
  readonly digest?: { readonly sha256?: string };
}

/** Verifies an exported receipt with nothing but the public key. Contract: what does not verify is E_DAMAGED with the reason. */
export function verifyFile({ text, pem, root }: FileRequest): VerifiedFile {
  return verifySigned({ text, keys: [requirePublicKey(pem)], root });
}

/** Like `verifyFile`, but accepts the keys of several signers. */
export function verifySigned({
  text,
  keys,
  root,
}: Omit<FileRequest, 'pem'> & { readonly keys: readonly VerifyingKey[] }): VerifiedFile {
  const { envelope, signer } = readEnvelope(text);
  const payload = openEnvelope(envelope, keys);
  const key = keys.find(({ keyId }) => keyId === signer);
  if (payload === undefined || key === undefined) {
    if (signer === undefined || key !== undefined) throw invalid('its signature is invalid');
    throw invalid(
      keys.length === 1
        ? `it was signed with the key ${signer}, not with ${keys[0]?.keyId}`
        : `it was signed with the key ${signer}, which is not trusted`,
    );
  }
  const statement = parseJson(payload);
  if (!isPlainObject(statement) || statement._type !== STATEMENT_TYPE || !Array.isArray(statement.subject))
    throw invalid('it is not an in-toto Statement v1');
  const { predicateType, predicate } = statement;
  const subjects = (statement.subject as Subject[]).filter(({ name }) => name !== 'RECEIPT.json');
  const files = root === undefined ? 0 : compareFiles(root, subjects);
  if (predicateType === SLSA_TYPE)
    return { predicateType, keyId: key.keyId, runId: invocationOf(predicate), receipt: undefined, files };
  if (predicateType !== PREDICATE_TYPE) throw invalid(`it has the predicate ${String(predicateType)}`);
  const receipt = predicate as Receipt;
  if (hashReceipt(receipt) !== receipt.receipt_hash) throw invalid('the receipt does not match its hash');
  if (renderStatement(receipt, receiptDigest(statement.subject as Subject[])) !== payload)
    throw invalid('the subjects do not match the receipt');
  return { predicateType, keyId: key.keyId, runId: receipt.run_id, receipt, files };
}

export function requirePublicKey(pem: string): VerifyingKey {
  const key = parsePublicKey(pem);
  if (key !== undefined) return key;
  throw new Fault('E_VALIDATION', 'The key is not an Ed25519 public key in PEM.', {
    hint: 'Export it on the machine that made the receipt: deed receipt export --as key --format raw',
    details: { field: 'key' },
  });
}

/** A DSSE envelope, or a Sigstore bundle that contains one. */
function readEnvelope(text: string): { readonly envelope: unknown; readonly signer: string | undefined } {
  const value = parseJson(text);
  const envelope = isPlainObject(value) && 'dsseEnvelope' in value ? value.dsseEnvelope : value;
  const signatures = isPlainObject(envelope) ? envelope.signatures : undefined;
  if (!Array.isArray(signatures)) throw invalid('it is neither a DSSE envelope nor a Sigstore bundle');
  const [first] = signatures as unknown[];
  return { envelope, signer: isPlainObject(first) ? String(first.keyid) : undefined };
}

/** The digest of the file RECEIPT.json, which is the first subject. */
function receiptDigest([first]: readonly Subject[]): string {
  return first?.digest?.sha256 ?? '';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw invalid('it is not JSON', error);
  }
}

function invocationOf(predicate: unknown): string {
  const { runDetails } = (predicate ?? {}) as { runDetails?: { metadata?: { invocationId?: unknown } } };
  const id = runDetails?.metadata?.invocationId;
  return typeof id === 'string' ? id : '';
}

/** Compares the files of a folder with the subjects, and returns how many were compared. */
function compareFiles(root: string, subjects: readonly Subject[]): number {
  const files = subjects.filter(({ digest }) => digest?.sha256 !== undefined);
  for (const { name, digest } of files) {
    if (name.startsWith('/') || name.split('/').includes('..'))
      throw invalid(`the subject ${name} is outside the folder`);
    const found = digestOf(join(root, name));
    if (found === undefined) throw invalid(`${name} is missing in ${root}`);
    if (found !== digest?.sha256) throw invalid(`${name} in ${root} differs`);
  }
  return files.length;
}

function digestOf(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() === true) return createHash('sha256').update(readlinkSync(path)).digest('hex');
  if (stats?.isFile() !== true) return undefined;
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function invalid(why: string, cause?: unknown): Fault {
  return new Fault('E_DAMAGED', `The receipt cannot be verified: ${why}.`, {
    hint: 'Do not rely on its content. Ask for the file and the key again, over a channel that you trust.',
    details: { field: 'file', problem: why },
    cause,
  });
}

const MAX_BYTES = { file: 64 * 1024 * 1024, key: MAX_KEY_BYTES };

/** Reads a file that the caller names: an exported receipt, or a key. A file that is too large is refused before it is read. */
export function readExported(path: string, field: keyof typeof MAX_BYTES): string {
  const text = readFileIfPresent(path, MAX_BYTES[field]);
  if (text !== undefined) return text;
  throw new Fault('E_NOT_FOUND', `File not found: ${path}.`, { details: { field, path } });
}
