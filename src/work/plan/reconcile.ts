import { RECONCILER, type WorkItem } from '../item/work-item.ts';
import { resolveDependencies } from '../item/resolve-dependencies.ts';
import { checkItem } from '../item/check-item.ts';
import { readReceipt } from '../receipt/read-receipt.ts';
import type { Receipt } from '../receipt/receipt.ts';
import { draftOf } from '../run/attempt-item.ts';
import { finishRun } from '../run/finish-run.ts';
import { failureOf } from '../run/evaluate-run.ts';
import { withIsolation, type Reconciliation, type RunDraft } from '../run/run-draft.ts';
import { runItemTests } from '../run/run-item-tests.ts';
import { withPorts } from '../run/with-ports.ts';
import { newWorkId } from '../run/run-folder.ts';
import { beginStep, writeRunState } from '../run/run-state.ts';
import { writeDraft } from '../run/stored-draft.ts';
import type { TestReport } from '../tests/run-tests.ts';
import type { WorkContext } from '../work-context.ts';
import { takeTreeSnapshot } from '../workspace/take-snapshot.ts';
import { openWorkspace } from '../workspace/open-workspace.ts';
import type { Tree } from '../workspace/tree.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { isEnded } from './item-state.ts';
import { itemState, type Job } from './job.ts';

/**
 * Checks the result of a plan: runs the tests of every successful item again on the merged tree and issues one receipt that lists the
 * receipts of all runs. It changes no files. Returns the id of its run.
 */
export async function reconcile(job: Job, tree: Tree, context: WorkContext): Promise<string> {
  const runId = newWorkId(context.home, 'run', context.clock.now());
  const item = job.items.find(({ agent_id }) => agent_id === RECONCILER) ?? implicitReconciler();
  const { snapshot } = await takeTreeSnapshot(context.workspace, tree);
  const begun = draftOf(item, { jobId: job.id, runId, snapshot, tree, reruns: 0 }, context.clock.now());
  writeRunState(context.home, runId, 'running');
  writeDraft(context.home, begun);
  let draft: RunDraft = {
    ...begun,
    toolSource: 'none: the reconciler runs tests only',
    reconciliation: tranches(job, context),
  };
  let opened: Workspace | undefined;
  try {
    const workspace = await openWorkspace(context.workspace, {
      runId,
      snapshot,
      tree,
      policy: { network: item.network ?? true },
      mode: context.mode,
      allowUnsandboxed: context.allowUnsandboxed,
    });
    opened = workspace;
    draft = withIsolation(draft, workspace);
    draft = await withPorts(context, draft, (ready) => testMerged(ready, job, workspace, context));
  } catch (error) {
    draft = { ...draft, ...failureOf(error) };
  }
  await opened?.discard();
  await finishRun(context, draft);
  return runId;
}

async function testMerged(
  draft: RunDraft,
  job: Job,
  workspace: Workspace,
  context: WorkContext,
): Promise<RunDraft> {
  const startedAt = context.clock.now();
  const done = job.items.filter((item) => itemState(context.home, job, item.id).status === 'success');
  const own = job.items.filter(({ agent_id }) => agent_id === RECONCILER);
  const commands = [
    ...new Map(
      [...done, ...own].flatMap((item) => (item.test_command ? [[item.test_command, item] as const] : [])),
    ),
  ];
  const testsAt = new Date(startedAt).toISOString();
  if (commands.length > 0) beginStep(context.home, draft.runId, { step: 'tests', started_at: testsAt });
  const reports: TestReport[] = [];
  for (const [command, item] of commands)
    reports.push(await runItemTests(context, draft, workspace, item, command));
  const tested = {
    ...draft,
    executionMs: context.clock.now() - startedAt,
    ...(reports.length > 0 && { tests: sum(reports) }),
  };
  const failed = tranchesOf(job).filter((item) => itemState(context.home, job, item.id).status !== 'success');
  if (failed.length > 0) {
    const message = `Dependency failed: ${failed.map(({ id }) => id).join(', ')}`;
    return {
      ...tested,
      status: 'denied',
      code: 'E_DENIED',
      denial: { reason: 'dependency_failed', message },
    };
  }
  const broken = reports.filter(({ passed }) => !passed);
  if (broken.length === 0) return { ...tested, status: 'success' };
  return { ...tested, status: 'failure', code: 'E_TESTS_FAILED', error: 'Tests failed' };
}

function sum(reports: readonly TestReport[]): TestReport {
  const counted = reports.flatMap(({ counts }) => counts ?? []);
  return {
    command: reports.map(({ command }) => command).join(' && '),
    passed: reports.every(({ passed }) => passed),
    exitCode: reports.find(({ passed }) => !passed)?.exitCode ?? 0,
    timedOut: reports.some(({ timedOut }) => timedOut),
    output: reports.map(({ command, output }) => `$ ${command}\n${output}`).join('\n'),
    durationMs: reports.reduce((total, { durationMs }) => total + durationMs, 0),
    ...(counted.length > 0 && {
      counts: {
        passed: counted.reduce((total, { passed }) => total + passed, 0),
        failed: counted.reduce((total, { failed }) => total + failed, 0),
      },
    }),
  };
}

function tranches(job: Job, context: WorkContext): Reconciliation {
  const receipts = tranchesOf(job).flatMap((item) => {
    const state = itemState(context.home, job, item.id);
    const receipt = isEnded(state) ? readReceipt(context.home, state.runId) : undefined;
    return receipt === undefined ? [] : [{ item, receipt }];
  });
  return {
    tranches_merged: receipts.filter(({ receipt }) => receipt.status === 'success').length,
    tranche_receipts: receipts.map(({ item, receipt }) => ({
      item_id: item.id,
      run_id: receipt.run_id,
      receipt_id: receipt.id,
      receipt_hash: receipt.receipt_hash,
      status: receipt.status,
    })),
    merge_law:
      'level by level; within a level promoted in the order of item ids, overlapping work run again once',
    commutativity_verified: resolveDependencies(tranchesOf(job)).every((level) =>
      isDisjoint(level.map(({ id }) => receipts.find(({ item }) => item.id === id)?.receipt)),
    ),
    verification_script: receipts
      .map(({ receipt }) => `deed receipt verify --id ${receipt.run_id}`)
      .join('\n'),
    replay_instructions: receipts
      .filter(({ receipt }) => receipt.status === 'success')
      .map(({ receipt }) => `deed work replay --id ${receipt.run_id}`)
      .join('\n'),
  };
}

function isDisjoint(receipts: readonly (Receipt | undefined)[]): boolean {
  const paths = receipts.flatMap((receipt) =>
    receipt?.status === 'success' ? receipt.artifacts.map(({ path }) => path) : [],
  );
  return new Set(paths).size === paths.length;
}

function tranchesOf(job: Job): readonly WorkItem[] {
  return job.items.filter(({ agent_id, id }) => agent_id !== RECONCILER || Object.hasOwn(job.runs, id));
}

function implicitReconciler(): WorkItem {
  return checkItem({
    id: 'reconcile',
    agent_id: RECONCILER,
    description: 'Check the merged work of the plan.',
  });
}
