import { withLock } from '../system/lock.ts';
import { discoverRelease, type FoundRelease } from './discover-release.ts';
import { explainFailure } from './explain-failure.ts';
import { readPackageVersion } from './install-method.ts';
import { isSkillSyncPending } from './pending-skill-sync.ts';
import { isUpdate, planUpdate, requireDriven, type DrivenInstall, type UpdatePlan } from './plan-update.ts';
import { probeVersion } from './probe-version.ts';
import { updateNpm } from './update-npm.ts';
import { clearUpdateNotice, NOTICE_FILE } from './update-notice.ts';
import { assertNotInterrupted, beginRun, interrupted, type UpdateRun } from './update-run.ts';
import { updateStandalone, type AppliedUpdate } from './update-standalone.ts';
import type { UpdateRequest, UpdateWorld } from './update-world.ts';

/** What an update did, told as the state it left. */
export interface UpdateOutcome {
  /** `skill_synced`: the program was current; the Skill of an unfinished update was not. */
  readonly status: 'updated' | 'up_to_date' | 'skill_synced';
  readonly plan: UpdatePlan;
  readonly run: Readonly<UpdateRun>;
  readonly applied: AppliedUpdate | undefined;
}

/** How long one update waits for another; less than the time a command has to unwind after a signal. */
const LOCK_WAIT_MS = 2000;

/**
 * Updates the program and its Skill in one call: discover, download, verify, replace, sync. Contract: every failure is a fault
 * whose details tell the stage and the true state of the machine; running it again is always safe.
 */
export async function runUpdate(request: UpdateRequest, world: UpdateWorld): Promise<UpdateOutcome> {
  return truthfully(request, world, async (run) => {
    const plan = await planUpdate(request, run, world);
    const outcome =
      plan.needed || isSkillSyncPending(world.home, run.currentVersion)
        ? await updateAlone(request, plan, requireDriven(plan, world), run, world)
        : upToDate(plan, run);
    // Being at the version that was asked for says nothing about a newer one.
    if (request.targetVersion === undefined || run.binaryReplaced)
      clearUpdateNotice(world.home.at(NOTICE_FILE));
    return outcome;
  });
}

/** Runs a step of an update so that its failure tells where it stood. */
export async function truthfully<T>(
  request: UpdateRequest,
  world: UpdateWorld,
  work: (run: UpdateRun) => Promise<T>,
): Promise<T> {
  const run = beginRun(request.runningVersion);
  world.lastWords(() => explainFailure(interrupted(), run, world.signal));
  try {
    return await work(run);
  } catch (error) {
    if (run.skillSyncStatus === 'pending' && !world.signal.aborted) run.skillSyncStatus = 'failed';
    throw explainFailure(error, run, world.signal);
  }
}

/** Holds off every other update, then looks again: one may have finished while this one waited. */
async function updateAlone(
  request: UpdateRequest,
  plan: UpdatePlan,
  install: DrivenInstall,
  run: UpdateRun,
  world: UpdateWorld,
): Promise<UpdateOutcome> {
  world.home.folder();
  const update = async (): Promise<UpdateOutcome> => {
    assertNotInterrupted(world.signal);
    run.currentVersion = (await readInstalledVersion(install, world)) ?? run.currentVersion;
    const replacing = isUpdate(request, run.currentVersion, plan.release.version);
    if (!replacing) {
      if (!isSkillSyncPending(world.home, run.currentVersion)) return upToDate(plan, run);
      run.skillSyncStatus = 'pending';
    }
    const applied =
      install.method === 'standalone'
        ? await updateStandalone(
            install.executable,
            await releaseFor(plan, replacing, run, world),
            run,
            world,
          )
        : await updateNpm(install, replacing ? plan.release.version : run.currentVersion, run, world);
    return { status: run.binaryReplaced ? 'updated' : 'skill_synced', plan, run, applied };
  };
  return withLock(world.home.at('update.lock'), update, { waitMs: LOCK_WAIT_MS });
}

/** The release to go to; or, where only the Skill is owed, the release of the version that is installed. */
async function releaseFor(
  plan: UpdatePlan,
  replacing: boolean,
  run: UpdateRun,
  world: UpdateWorld,
): Promise<FoundRelease> {
  if (replacing || plan.release.version === run.currentVersion) return plan.release;
  return discoverRelease(plan.install, run.currentVersion, world);
}

/** The version on disk may be newer than the one that runs: this process was started before another's update. */
function readInstalledVersion(
  install: DrivenInstall,
  world: UpdateWorld,
): Promise<string | undefined> | string | undefined {
  return install.method === 'standalone'
    ? probeVersion(install.executable, world)
    : readPackageVersion(install.packageRoot);
}

function upToDate(plan: UpdatePlan, run: UpdateRun): UpdateOutcome {
  run.skillSyncStatus = 'not_needed';
  return { status: 'up_to_date', plan, run, applied: undefined };
}
