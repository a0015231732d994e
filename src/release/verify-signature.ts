import type { Bundle } from '@sigstore/bundle';
import { Fault } from '../base/fault.ts';
import { readTrustedRoot, signerIdentity, type ReleaseTrust } from './release-trust.ts';

/** The signer that the signature proves. */
export interface VerifiedSigner {
  readonly identity: string;
  readonly issuer: string;
}

/** The only accepted bundle version; older ones are verified less strictly. */
const BUNDLE_MEDIA_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';

/**
 * Verifies that the release workflow signed these bytes at exactly this version's tag: certificate chain, certificate
 * transparency, inclusion in the signature log, signature, identity. Offline. Anything less is E_INTEGRITY.
 */
export async function verifySignature(
  signed: Buffer,
  bundleText: string,
  version: string,
  trust: ReleaseTrust,
): Promise<VerifiedSigner> {
  // Loaded here to keep the start of other commands fast.
  const [{ bundleFromJSON }, { toSignedEntity, toTrustMaterial, Verifier }, { TrustedRoot }] =
    await Promise.all([
      import('@sigstore/bundle'),
      import('@sigstore/verify'),
      import('@sigstore/protobuf-specs'),
    ]);
  const expected = { identity: signerIdentity(trust, version), issuer: trust.issuer };
  const root = TrustedRoot.fromJSON(await readTrustedRoot(trust));
  let proven: VerifiedSigner;
  try {
    const bundle = bundleFromJSON(JSON.parse(bundleText));
    assertBundleFormat(bundle);
    const signer = new Verifier(toTrustMaterial(root)).verify(toSignedEntity(bundle, signed));
    proven = {
      identity: signer.identity?.subjectAlternativeName ?? '',
      issuer: signer.identity?.extensions?.issuer ?? '',
    };
  } catch (error) {
    throw rejected('the signature does not verify', { reason: reasonOf(error) }, error);
  }
  // Compared here as exact strings, because the policy of the verifier reads the identity as a pattern.
  if (proven.identity !== expected.identity || proven.issuer !== expected.issuer) {
    throw rejected('its signer is not the release workflow', {
      signer_identity: proven.identity,
      signer_issuer: proven.issuer,
      expected_identity: expected.identity,
      expected_issuer: expected.issuer,
    });
  }
  return proven;
}

/** A DSSE envelope would be verified against its own payload instead of our file, and a bare key has no identity. */
function assertBundleFormat(bundle: Bundle): void {
  if (bundle.mediaType !== BUNDLE_MEDIA_TYPE) throw new Error(`bundle of the type ${bundle.mediaType}`);
  if (bundle.content.$case !== 'messageSignature') throw new Error(`bundle with a ${bundle.content.$case}`);
  const { $case } = bundle.verificationMaterial.content;
  if ($case !== 'certificate') throw new Error(`bundle with a ${$case} instead of a certificate`);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}

/** The details quote data of the server, which is untrusted. */
function rejected(what: string, details: Record<string, string>, cause?: unknown): Fault {
  return new Fault('E_INTEGRITY', `The release is rejected: ${what}.`, {
    details: { ...details, _untrusted: Object.keys(details).filter((name) => !name.startsWith('expected_')) },
    cause,
  });
}
