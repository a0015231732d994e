import { isoTime } from '../base/clock.ts';
import { fetchContextOf, readReleaseNotes } from './discover-release.ts';
import { fetchIfPresent, MAX_DOWNLOAD_BYTES } from './download-release.ts';
import { parseChecksums } from './parse-checksums.ts';
import { isDriven, planUpdate, requireDriven, type UpdatePlan } from './plan-update.ts';
import { truthfully } from './run-update.ts';
import { clearUpdateNotice, NOTICE_FILE, writeUpdateNotice, type UpdateNotice } from './update-notice.ts';
import type { UpdateRun } from './update-run.ts';
import { gradeUpdate } from './update-severity.ts';
import type { UpdateRequest, UpdateContext } from './update-context.ts';
import { isNewer } from './version.ts';

/** What a look at the newest release found. */
export interface UpdateCheck {
  readonly plan: UpdatePlan;
  readonly run: Readonly<UpdateRun>;
  /** Whether the release carries what an update verifies; nothing where a package manager does that. */
  readonly available: { readonly signature: boolean; readonly checksum: boolean } | undefined;
}

/** Looks what an update would do, without doing it; where it would refuse, this refuses too. */
export async function previewUpdate(request: UpdateRequest, context: UpdateContext): Promise<UpdateCheck> {
  return truthfully(request, context, async (run) => {
    const plan = await planUpdate(request, run, context);
    if (plan.needed) requireDriven(plan, context);
    return { plan, run, available: await lookForProof(plan, context) };
  });
}

/** Looks for the newest release and keeps what it found, so that other commands can tell of it without asking anyone. */
export async function checkUpdate(
  request: UpdateRequest,
  context: UpdateContext,
): Promise<UpdateCheck & { readonly notice: UpdateNotice | undefined }> {
  return truthfully(request, context, async (run) => {
    const plan = await planUpdate(request, run, context);
    const available = await lookForProof(plan, context);
    // A version that was asked for says nothing about the newest one.
    if (request.targetVersion !== undefined) return { plan, run, available, notice: undefined };
    const notice = isNewer(plan.release.version, request.runningVersion)
      ? await createNotice(plan, request.runningVersion, context)
      : undefined;
    keepNotice(notice, context);
    return { plan, run, available, notice };
  });
}

/** The answer does not depend on the cache, so a home that cannot be written is told and not more. */
function keepNotice(notice: UpdateNotice | undefined, context: UpdateContext): void {
  const path = context.home.at(NOTICE_FILE);
  try {
    if (notice === undefined) clearUpdateNotice(path);
    else {
      context.home.folder();
      writeUpdateNotice(path, notice);
    }
  } catch (error) {
    context.warn(`The notice could not be kept: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function createNotice(
  plan: UpdatePlan,
  running: string,
  context: UpdateContext,
): Promise<UpdateNotice> {
  const { install, release } = plan;
  const command = isDriven(install) ? 'deed update' : plan.command;
  return {
    type: 'update_available',
    severity: gradeUpdate(running, release.version, await readReleaseNotes(release, context)),
    current_version: running,
    latest_version: release.version,
    install_method: install.method,
    recommended_command: command,
    release_url: release.addresses.page,
    checked_at: isoTime(context.clock.now()),
    next_steps: [
      { action: 'update', command },
      { action: 'read_changelog', command: `deed changelog --since ${running}` },
    ],
  };
}

async function lookForProof(
  { install, release, isCurrent }: UpdatePlan,
  context: UpdateContext,
): Promise<UpdateCheck['available']> {
  if (install.method !== 'standalone' || isCurrent) return undefined;
  const fetchContext = fetchContextOf(context);
  const checksums = await fetchIfPresent(
    release.addresses.checksums,
    MAX_DOWNLOAD_BYTES.checksums,
    fetchContext,
  );
  const bundle = await fetchIfPresent(release.addresses.bundle, MAX_DOWNLOAD_BYTES.bundle, fetchContext);
  return {
    signature: bundle !== undefined,
    checksum: parseChecksums(checksums?.toString('utf8') ?? '').has(release.archive),
  };
}
