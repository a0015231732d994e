import type { JsonObject } from '../base/json.ts';
import type { UpdateCheck } from './check-update.ts';
import type { UpdateOutcome } from './run-update.ts';
import { locateSkillFolders, SKILL_SYNC_COMMAND } from './sync-skill.ts';
import { signerIdentity } from './release-trust.ts';
import type { UpdateNotice } from './update-notice.ts';
import { changelogCommand, isVersionChange } from './update-run.ts';
import type { UpdateRequest, UpdateContext } from './update-context.ts';

/** Renders the result of an update. */
export function renderOutcome(
  { status, plan, run, applied }: UpdateOutcome,
  request: UpdateRequest,
): JsonObject {
  const verification = applied?.verification;
  return {
    status,
    previous_version: run.previousVersion,
    current_version: run.currentVersion,
    target_version: run.targetVersion,
    latest_version: request.targetVersion === undefined ? plan.release.version : null,
    update_available: false,
    install_method: plan.install.method,
    command: plan.command,
    release_url: plan.release.urls.page,
    binary_replaced: run.binaryReplaced,
    signature_verified: verification !== undefined,
    signature_status: verification === undefined ? 'not_checked' : 'verified',
    verification:
      verification === undefined
        ? null
        : {
            archive: verification.archive,
            archive_sha256: verification.archiveSha256,
            checksums_sha256: verification.checksumsSha256,
            signer_identity: verification.signerIdentity,
            signer_issuer: verification.signerIssuer,
          },
    skill_sync_supported: true,
    skill_sync_status: run.skillSyncStatus,
    skill_sync_command: SKILL_SYNC_COMMAND,
    skill_folders: applied?.skillFolders ?? [],
    ...(status !== 'up_to_date' &&
      isVersionChange(run) && {
        hint: `Run "${changelogCommand(run)}" to see what changed.`,
        next_steps: [{ action: 'read_changelog', command: changelogCommand(run) }],
      }),
  };
}

/** Renders the result of a check. */
export function renderCheck(
  check: UpdateCheck,
  notice: UpdateNotice | undefined,
  request: UpdateRequest,
  context: UpdateContext,
): JsonObject {
  const { plan, run, available } = check;
  const { canonical, linked } = locateSkillFolders(context);
  return {
    status: plan.needed ? 'update_available' : 'up_to_date',
    previous_version: run.previousVersion,
    current_version: run.currentVersion,
    target_version: run.targetVersion,
    latest_version: request.targetVersion === undefined ? plan.release.version : null,
    update_available: plan.needed,
    install_method: plan.install.method,
    command: plan.command,
    release_url: plan.release.urls.page,
    binary_replaced: false,
    signature_verified: false,
    signature_status: 'not_checked',
    signature_available: available?.signature ?? null,
    checksum_available: available?.checksum ?? null,
    skill_sync_supported: true,
    skill_sync_status: 'not_started',
    skill_sync_command: SKILL_SYNC_COMMAND,
    skill_folders: [canonical, ...linked],
    ...(notice && { notice }),
  };
}

/** Renders a dry run: the changes, and what would be verified first. */
export function renderUpdatePreview(
  check: UpdateCheck,
  request: UpdateRequest,
  context: UpdateContext,
): JsonObject {
  const { plan, run } = check;
  const data = renderCheck(check, undefined, request, context);
  const before = { version: run.currentVersion };
  const after = { version: plan.release.version };
  const [resource, id] =
    plan.install.method === 'standalone'
      ? ['executable', plan.install.executable]
      : ['package', plan.command];
  return {
    ...data,
    preview: {
      changes: plan.needed
        ? [
            { action: 'replace', resource, id, before, after },
            ...(data.skill_folders as string[]).map((folder) => ({
              action: 'sync',
              resource: 'skill',
              id: folder,
              before: null,
              after,
            })),
          ]
        : [],
      verification:
        plan.install.method === 'standalone'
          ? [
              `Sigstore signature of checksums.txt by ${signerIdentity(context.trust, plan.release.version)}`,
              `SHA-256 of ${plan.release.archive} in checksums.txt`,
              'The new program starts and prints its version',
            ]
          : [`The integrity check of ${plan.install.method.replace(/^npm-.*/u, 'npm')}`],
    },
  };
}
