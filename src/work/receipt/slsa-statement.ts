import { renderCanonical } from '../../base/canonical-json.ts';
import { sha256 } from '../../system/digest.ts';
import { renderDocument, type Receipt } from './receipt.ts';
import { STATEMENT_TYPE } from './statement.ts';

export const SLSA_TYPE = 'https://slsa.dev/provenance/v1';
const PROJECT = 'https://github.com/deed-cli/deed';
const BUILD_TYPE = `${PROJECT}/work-run/v1`;

/**
 * Renders a receipt as SLSA provenance v1: an in-toto Statement with the names of the specification, so that tools which do not
 * know receipts can read it. The receipt itself is a subject.
 */
export function renderSlsaStatement(receipt: Receipt): string {
  const files = receipt.artifacts.flatMap(({ path, sha256: digest }) =>
    path === undefined || digest === undefined ? [] : [{ name: path, digest: { sha256: digest } }],
  );
  const { landing } = receipt;
  return renderCanonical({
    _type: STATEMENT_TYPE,
    subject: [
      { name: 'RECEIPT.json', digest: { sha256: sha256(renderDocument(receipt)) } },
      ...(landing === undefined ? [] : [{ name: landing.branch, digest: { gitCommit: landing.commit } }]),
      ...files,
    ],
    predicateType: SLSA_TYPE,
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: {
          workItem: receipt.work_item_id,
          workItemSha256: receipt.work_item_hash,
          agent: receipt.agent_id,
        },
        internalParameters: {
          phase: receipt.phase,
          status: receipt.status,
          isolation: receipt.workspace.isolation ?? 'none',
        },
        resolvedDependencies: [
          { name: 'tree', digest: { blake3: receipt.before_hash } },
          ...(receipt.git.head === null ? [] : [{ name: 'HEAD', digest: gitDigest(receipt.git.head) }]),
        ],
      },
      runDetails: {
        builder: { id: `${PROJECT}/work`, version: { deed: receipt.toolchain_version } },
        metadata: { invocationId: receipt.run_id, finishedOn: receipt.timestamp_iso },
        byproducts: [
          { name: 'tree', digest: { blake3: receipt.after_hash } },
          ...receipt.proof_artifacts.map(({ path, sha256: digest }) => ({
            name: path,
            digest: { sha256: digest },
          })),
        ],
      },
    },
  });
}

function gitDigest(commit: string): Record<string, string> {
  return { gitCommit: commit };
}
