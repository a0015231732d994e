import { blameLines } from '../../work/blame/blame-lines.ts';
import { readBlamedFile } from '../../work/blame/read-blamed-file.ts';
import { collectWork } from '../../work/plan/collect-work.ts';
import { createJob, locateTree } from '../../work/plan/create-job.ts';
import { claimTasks, releaseLost } from '../../work/journal/job-tasks.ts';
import { deliverOutcomes } from '../../work/journal/outbox.ts';
import { checkAgentProgram } from '../../work/executors/check-agent-program.ts';
import { findMissingInputs } from '../../work/plan/find-missing-inputs.ts';
import { followLog } from '../../work/plan/follow-log.ts';
import { diffRun } from '../../work/run/diff-run.ts';
import { requireRevisable, reviseRun } from '../../work/plan/revise-run.ts';
import { recoverRuns } from '../../work/plan/recover-runs.ts';
import { listStored, promoteStored } from '../../work/plan/stored-results.ts';
import { planReceiptRepairs, repairReceipts } from '../../work/receipt/repair-receipts.ts';
import { identifyAgent } from '../../work/executors/identify-agent.ts';
import { assertAgents, runJob } from '../../work/plan/run-job.ts';
import { assertLanding, describeLanding, warnUncommitted } from '../../work/run/describe-landing.ts';
import { assertPatterns } from '../../work/item/assert-patterns.ts';
import { replayRun } from '../../work/replay/replay-run.ts';
import { commitRun, planCommit } from '../../work/run/commit-run.ts';
import { decideRun, requireWaiting } from '../../work/run/decide-run.ts';
import { listPromoted, rollbackJob } from '../../work/run/rollback-job.ts';
import { requirePromoted, rollbackRun } from '../../work/run/rollback-run.ts';
import { describeIsolation, requireIsolation } from '../../work/run/describe-isolation.ts';
import { planTasks } from './plan-tasks.ts';
import { onlyConfiguredAgent, openWorkContext } from './open-work-context.ts';

/** The functions behind the work commands, loaded when a command runs but not when commands are described. */
export const work = {
  assertLanding,
  assertPatterns,
  blameLines,
  commitRun,
  planCommit,
  readBlamedFile,
  describeLanding,
  assertAgents,
  checkAgentProgram,
  collectWork,
  createJob,
  decideRun,
  deliverOutcomes,
  identifyAgent,
  claimTasks,
  listPromoted,
  locateTree,
  planTasks,
  recoverRuns,
  repairReceipts,
  planReceiptRepairs,
  listStored,
  promoteStored,
  releaseLost,
  replayRun,
  describeIsolation,
  diffRun,
  findMissingInputs,
  followLog,
  requireIsolation,
  requirePromoted,
  requireRevisable,
  requireWaiting,
  reviseRun,
  rollbackJob,
  rollbackRun,
  runJob,
  onlyConfiguredAgent,
  openWorkContext,
  warnUncommitted,
};
