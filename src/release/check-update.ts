import { errorMessage } from '../base/error-message.ts';
import { isoTime } from '../base/clock.ts';
import { fetchContextOf, readReleaseNotes } from './discover-release.ts';
import { fetchIfPresent, MAX_DOWNLOAD_BYTES } from './download-release.ts';
import { parseChecksums } from './parse-checksums.ts';
import { isUpdatable, planUpdate, requireUpdatable, type UpdatePlan } from './plan-update.ts';
import { withUpdateState } from './run-update.ts';
import { clearUpdateNotice, NOTICE_FILE, writeUpdateNotice, type UpdateNotice } from './update-notice.ts';
import type { UpdateRun } from './update-run.ts';
import { severityOf } from './update-severity.ts';
import type { UpdateRequest, UpdateContext } from './update-context.ts';
import { isNewer } from './version.ts';

/** The result of checking for a release. */
export interface UpdateCheck {
  readonly plan: UpdatePlan;
  readonly run: Readonly<UpdateRun>;
  /** Whether the release has a signature and a checksum; undefined where a package manager verifies the download. */
  readonly available: { readonly signature: boolean; readonly checksum: boolean } | undefined;
}

/** Returns what an update would do, without doing it; fails where the update would fail its preconditions. */
export async function previewUpdate(request: UpdateRequest, context: UpdateContext): Promise<UpdateCheck> {
  return withUpdateState(request, context, async (run) => {
    const plan = await planUpdate(request, run, context);
    if (plan.needed) requireUpdatable(plan, request, context);
    return { plan, run, available: await findSignature(plan, context) };
  });
}

/** Checks for the newest release and caches the result, so that other commands can show a notice without a request. */
export async function checkUpdate(
  request: UpdateRequest,
  context: UpdateContext,
): Promise<UpdateCheck & { readonly notice: UpdateNotice | undefined }> {
  return withUpdateState(request, context, async (run) => {
    const plan = await planUpdate(request, run, context);
    const available = await findSignature(plan, context);
    // An explicit target version does not say which version is the newest.
    if (request.targetVersion !== undefined) return { plan, run, available, notice: undefined };
    const notice = isNewer(plan.release.version, request.runningVersion)
      ? await createNotice(plan, request.runningVersion, context)
      : undefined;
    cacheNotice(notice, context);
    return { plan, run, available, notice };
  });
}

/** The result does not depend on the cache, so a home that is not writable causes only a warning. */
function cacheNotice(notice: UpdateNotice | undefined, context: UpdateContext): void {
  const path = context.home.at(NOTICE_FILE);
  try {
    if (notice === undefined) clearUpdateNotice(path);
    else {
      context.home.folder();
      writeUpdateNotice(path, notice);
    }
  } catch (error) {
    context.warn(`The update notice could not be cached: ${errorMessage(error)}`);
  }
}

async function createNotice(
  plan: UpdatePlan,
  running: string,
  context: UpdateContext,
): Promise<UpdateNotice> {
  const { install, release } = plan;
  const command = isUpdatable(install) ? 'deed update' : plan.command;
  return {
    type: 'update_available',
    severity: severityOf(running, release.version, await readReleaseNotes(release, context)),
    current_version: running,
    latest_version: release.version,
    install_method: install.method,
    recommended_command: command,
    release_url: release.urls.page,
    checked_at: isoTime(context.clock.now()),
    next_steps: [
      { action: 'update', command },
      { action: 'read_changelog', command: `deed changelog --since ${running}` },
    ],
  };
}

async function findSignature(
  { install, release, isCurrent }: UpdatePlan,
  context: UpdateContext,
): Promise<UpdateCheck['available']> {
  if (install.method !== 'standalone' || isCurrent) return undefined;
  const fetchContext = fetchContextOf(context);
  const checksums = await fetchIfPresent(release.urls.checksums, MAX_DOWNLOAD_BYTES.checksums, fetchContext);
  const bundle = await fetchIfPresent(release.urls.bundle, MAX_DOWNLOAD_BYTES.bundle, fetchContext);
  return {
    signature: bundle !== undefined,
    checksum: parseChecksums(checksums?.toString('utf8') ?? '').has(release.archive),
  };
}
