import { join } from 'node:path';
import * as v from 'valibot';
import { damaged } from '../../base/damaged.ts';
import { readStored, type DocumentShape } from '../../system/stored-document.ts';
import { runFolder } from '../run/run-folder.ts';
import { openEnvelope, type Envelope } from './dsse.ts';
import { restoreHint } from './read-receipt.ts';
import type { Receipt } from './receipt.ts';
import { readVerifyingKeys } from './signing-key.ts';
import { renderStatement } from './statement.ts';

const ENVELOPE: DocumentShape<Envelope> = {
  hint: restoreHint,
  schema: v.object({
    payload: v.string(),
    payloadType: v.string(),
    signatures: v.array(v.object({ keyid: v.string(), sig: v.string() })),
  }),
};

/** Reads the signed envelope of a receipt, checks it, and returns the public key that it was signed with, if that exists. */
export function readSignature(
  home: string,
  receipt: Receipt,
): { readonly envelope: Envelope; readonly pem: string | undefined } {
  const path = join(runFolder(home, receipt.run_id), 'receipt.dsse.json');
  const envelope = readStored(path, ENVELOPE);
  if (envelope === undefined) throw damaged(path, 'it is missing', restoreHint(path));
  const keys = readVerifyingKeys(join(home, 'keys'));
  if (keys.length === 0) return { envelope, pem: undefined };
  const key = keys.find(({ keyId }) => keyId === envelope.signatures[0]?.keyid);
  if (openEnvelope(envelope, keys) !== renderStatement(receipt))
    throw damaged(path, 'it is not a valid signature of the receipt', restoreHint(path));
  return { envelope, pem: key?.pem };
}
