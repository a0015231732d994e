import { sha256 } from '../system/digest.ts';
import { Fault } from '../base/fault.ts';
import type { FoundRelease } from './discover-release.ts';
import type { DownloadedRelease } from './download-release.ts';
import { parseChecksums } from './parse-checksums.ts';
import { BUNDLE_NAME, CHECKSUMS_NAME } from './release-source.ts';
import { unpackRelease, type UnpackedRelease } from './unpack-release.ts';
import { enterStage, type UpdateRun } from './update-run.ts';
import type { UpdateContext } from './update-context.ts';
import { verifySignature } from './verify-signature.ts';

/** What was verified, so that the caller can repeat it. */
export interface ReleaseVerification {
  readonly archive: string;
  readonly archiveSha256: string;
  readonly checksumsSha256: string;
  readonly signerIdentity: string;
  readonly signerIssuer: string;
}

/** Verifies the signature of the checksums, then the archive against them, and then unpacks it. It cannot be skipped. */
export async function verifyRelease(
  release: FoundRelease,
  downloaded: DownloadedRelease,
  run: UpdateRun,
  context: UpdateContext,
): Promise<{ readonly verification: ReleaseVerification; readonly unpacked: UnpackedRelease }> {
  await enterStage(run, 'verify_signature', context);
  if (downloaded.bundle === undefined) {
    throw new Fault(
      'E_INTEGRITY',
      `The release ${release.version} has no signature (${BUNDLE_NAME} is missing).`,
      {
        details: { missing: release.urls.bundle },
      },
    );
  }
  const signer = await verifySignature(
    downloaded.checksums,
    downloaded.bundle.toString('utf8'),
    release.version,
    context.trust,
  );

  await enterStage(run, 'verify_checksum', context);
  const archiveSha256 = sha256(downloaded.archive);
  const expected = parseChecksums(downloaded.checksums.toString('utf8')).get(release.archive);
  if (archiveSha256 !== expected) {
    throw new Fault('E_INTEGRITY', `${release.archive} does not match its checksum in ${CHECKSUMS_NAME}.`, {
      details: {
        archive: release.archive,
        expected_sha256: expected ?? null,
        actual_sha256: archiveSha256,
      },
    });
  }
  return {
    verification: {
      archive: release.archive,
      archiveSha256,
      checksumsSha256: sha256(downloaded.checksums),
      signerIdentity: signer.identity,
      signerIssuer: signer.issuer,
    },
    unpacked: await unpackRelease(downloaded.archive, release.archive),
  };
}
