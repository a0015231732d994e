import { withLock } from '../system/lock.ts';
import { discoverRelease, type FoundRelease } from './discover-release.ts';
import { explainUpdateFailure } from './explain-update-failure.ts';
import { readManagedVersion } from './managed-install.ts';
import { isSkillSyncPending, readReplacedVersion } from './pending-skill-sync.ts';
import {
  isManaged,
  isUpdate,
  planUpdate,
  requireUpdatable,
  type UpdatableInstall,
  type UpdatePlan,
} from './plan-update.ts';
import { probeVersion } from './probe-version.ts';
import { readPackageVersion } from './read-package.ts';
import { updateManaged } from './update-managed.ts';
import { updateNpm } from './update-npm.ts';
import { clearUpdateNotice, NOTICE_FILE } from './update-notice.ts';
import { assertNotInterrupted, createUpdateRun, interrupted, type UpdateRun } from './update-run.ts';
import { updateExecutable, type AppliedUpdate } from './update-executable.ts';
import type { UpdateRequest, UpdateContext } from './update-context.ts';

/** The result of an update. */
export interface UpdateOutcome {
  /** `skill_synced`: the program was up to date, and the Skill of an unfinished update was synced. */
  readonly status: 'updated' | 'up_to_date' | 'skill_synced';
  readonly plan: UpdatePlan;
  readonly run: Readonly<UpdateRun>;
  readonly applied: AppliedUpdate | undefined;
}

/** How long an update waits for another one; shorter than the grace period of a command after a signal. */
const LOCK_WAIT_MS = 2000;

/**
 * Updates the program and its Skill in one call: discover, download, verify, replace, sync. Contract: every failure is a fault
 * whose details contain the stage and the actual state of the installation; running it again is always safe.
 */
export async function runUpdate(request: UpdateRequest, context: UpdateContext): Promise<UpdateOutcome> {
  return withUpdateState(request, context, async (run) => {
    const plan = await planUpdate(request, run, context);
    const outcome =
      plan.needed || isSkillSyncPending(context.home, run.currentVersion)
        ? await updateLocked(request, plan, requireUpdatable(plan, request, context), run, context)
        : upToDate(plan, run);
    // An explicit target version does not say which version is the newest.
    if (request.targetVersion === undefined || run.binaryReplaced)
      clearUpdateNotice(context.home.at(NOTICE_FILE));
    return outcome;
  });
}

/** Runs an update; a failure is reported with the state that it left. */
export async function withUpdateState<T>(
  request: UpdateRequest,
  context: UpdateContext,
  work: (run: UpdateRun) => Promise<T>,
): Promise<T> {
  const run = createUpdateRun(request.runningVersion);
  context.onForcedExit(() => explainUpdateFailure(interrupted(), run, context.signal));
  try {
    return await work(run);
  } catch (error) {
    if (run.skillSyncStatus === 'pending' && !context.signal.aborted) run.skillSyncStatus = 'failed';
    throw explainUpdateFailure(error, run, context.signal);
  }
}

/** Takes the update lock and checks again, because another update may have finished while this one waited. */
async function updateLocked(
  request: UpdateRequest,
  plan: UpdatePlan,
  install: UpdatableInstall,
  run: UpdateRun,
  context: UpdateContext,
): Promise<UpdateOutcome> {
  context.home.folder();
  const update = async (): Promise<UpdateOutcome> => {
    assertNotInterrupted(context.signal);
    run.currentVersion = (await readInstalledVersion(install, context)) ?? run.currentVersion;
    const replacing = isUpdate(request, run.currentVersion, plan.release.version);
    if (replacing) run.previousVersion = run.currentVersion;
    else {
      if (!isSkillSyncPending(context.home, run.currentVersion)) return upToDate(plan, run);
      run.skillSyncStatus = 'pending';
      run.previousVersion = readReplacedVersion(context.home) ?? run.previousVersion;
    }
    const version = replacing ? plan.release.version : run.currentVersion;
    const applied =
      install.method === 'standalone'
        ? await updateExecutable(
            install.executable,
            await releaseFor(plan, replacing, run, context),
            run,
            context,
          )
        : isManaged(install)
          ? await updateManaged(install, version, run, context)
          : await updateNpm(install, version, run, context);
    return { status: run.binaryReplaced ? 'updated' : 'skill_synced', plan, run, applied };
  };
  return withLock(context.home.at('update.lock'), update, { waitMs: LOCK_WAIT_MS });
}

/** The release to install; if only the Skill is outdated, the release of the installed version. */
async function releaseFor(
  plan: UpdatePlan,
  replacing: boolean,
  run: UpdateRun,
  context: UpdateContext,
): Promise<FoundRelease> {
  if (replacing || plan.release.version === run.currentVersion) return plan.release;
  return discoverRelease(plan.install, run.currentVersion, context);
}

/** The version on disk may be newer than the running one, if another process updated it meanwhile. */
function readInstalledVersion(
  install: UpdatableInstall,
  context: UpdateContext,
): Promise<string | undefined> | string | undefined {
  if (install.method === 'standalone') return probeVersion(install.executable, context);
  return isManaged(install) ? readManagedVersion(install) : readPackageVersion(install.packageRoot);
}

function upToDate(plan: UpdatePlan, run: UpdateRun): UpdateOutcome {
  run.skillSyncStatus = 'not_needed';
  return { status: 'up_to_date', plan, run, applied: undefined };
}
