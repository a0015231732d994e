import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { signEnvelope, type Envelope } from './dsse.ts';
import { readSignature } from './read-signature.ts';
import type { Receipt } from './receipt.ts';
import { exportPem, openSigningKey } from './signing-key.ts';
import { renderSlsaStatement } from './slsa-statement.ts';

/**
 * `receipt`: the signed receipt. `slsa`: the same facts as SLSA provenance. `bundle`: the signed receipt as a Sigstore bundle. `key`: the
 * public key that verifies the receipt.
 */
export type ExportFormat = 'receipt' | 'slsa' | 'bundle' | 'key';

export interface ExportedReceipt {
  /** The content of the file. */
  readonly text: string;
  readonly keyId: string;
  readonly pem: string;
}

const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';

/** Exports a receipt as one file that another machine can verify with the public key alone. */
export function exportReceipt(home: string, receipt: Receipt, as: ExportFormat): ExportedReceipt {
  const { envelope, pem } = readSignature(home, receipt);
  const keyId = envelope.signatures[0]?.keyid ?? '';
  if (pem === undefined)
    throw new Fault('E_DAMAGED', `The public key of ${receipt.run_id} is missing.`, {
      hint: 'Restore keys/receipts.pub.pem from a backup, or run "deed work recover --dry-run".',
      details: { key_id: keyId },
    });
  switch (as) {
    case 'receipt':
      return { text: render(envelope), keyId, pem };
    case 'bundle':
      return { text: render(bundleOf(envelope)), keyId, pem };
    case 'key':
      return { text: pem, keyId, pem };
    case 'slsa': {
      // Signed now, because receipts are not stored in this form; the key may be newer than the key of the receipt.
      const key = openSigningKey(join(home, 'keys'));
      const text = render(signEnvelope(renderSlsaStatement(receipt), key));
      return { text, keyId: key.keyId, pem: exportPem(key.publicKey) };
    }
  }
}

/** Exports the key that this home signs with; the first call creates it. */
export function exportHomeKey(home: string): ExportedReceipt {
  const { keyId, publicKey } = openSigningKey(join(home, 'keys'));
  const pem = exportPem(publicKey);
  return { text: pem, keyId, pem };
}

function bundleOf(envelope: Envelope): object {
  const hint = envelope.signatures[0]?.keyid ?? '';
  return {
    mediaType: BUNDLE_TYPE,
    verificationMaterial: { publicKey: { hint }, tlogEntries: [] },
    dsseEnvelope: envelope,
  };
}

function render(document: object): string {
  return `${JSON.stringify(document)}\n`;
}
