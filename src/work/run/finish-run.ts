import { join } from 'node:path';
import { canonicalJson, type JsonObject } from '../../base/json.ts';
import { redactText } from '../../base/secrets/redact.ts';
import { deliverOutcome, queueOutcome } from '../journal/outbox.ts';
import { describeWrite } from '../journal/describe-write.ts';
import { outcomeOf } from '../journal/record-run-steps.ts';
import { issueReceipt, writeCoveredFile, type UnsignedReceipt } from '../receipt/issue-receipt.ts';
import { renderDocument, type Receipt, type ReceiptArtifact } from '../receipt/receipt.ts';
import { renderReplayScript } from '../replay/render-replay-script.ts';
import type { TestReport } from '../tests/run-tests.ts';
import type { WorkContext } from '../work-context.ts';
import { artifactsOf, capsuleOf } from './capsule-of.ts';
import { digestChanges } from './digest-changes.ts';
import type { RunDraft } from './run-draft.ts';
import { runFolder } from './run-folder.ts';
import { clearRunState } from './run-state.ts';
import { readResult } from './run-records.ts';
import { resultOf, type RunResult } from './run-result.ts';

/** Ends a run: writes its files, receipt, chain entry and journal entry. Idempotent. */
export async function finishRun(context: WorkContext, draft: RunDraft): Promise<RunResult> {
  const folder = runFolder(context.home, draft.runId);
  const digests = draft.status === 'success' ? digestChanges(context.workspace, draft.changes) : new Map();
  const receipt = await issueReceipt({
    home: context.home,
    runId: draft.runId,
    prepare: (previousRunHash) => {
      const nowMs = context.clock.now();
      const capsule = capsuleOf(draft, previousRunHash, nowMs);
      writeCoveredFile(
        folder,
        'item.json',
        renderDocument({
          item: draft.item,
          agent: draft.agent,
          job_id: draft.jobId,
          revision: draft.revision,
        }),
      );
      writeCoveredFile(folder, 'capsule.json', renderDocument(capsule));
      writeCoveredFile(
        folder,
        'changes.json',
        renderDocument({ replay: draft.replay, changes: draft.changes }),
      );
      writeCoveredFile(folder, 'journal.json', renderWrites(draft));
      writeCoveredFile(folder, 'result.json', renderDocument(resultOf(draft, folder)));
      writeCoveredFile(folder, 'test.log', draft.tests?.output);
      const replayable = draft.status === 'success' && draft.replay !== undefined;
      writeCoveredFile(
        folder,
        'replay.sh',
        replayable ? renderReplayScript(draft, context) : undefined,
        0o700,
      );
      return { receipt: receiptOf(draft, digests, context), runHash: capsule.runHash, nowMs };
    },
  });
  queueOutcome(context, outcomeOf(context.home, draft, receipt));
  clearRunState(context.home, draft.runId);
  await deliverOutcome(context, draft.runId);
  const result = readResult(context.home, receipt);
  if (result === undefined) throw new Error(`the receipt of ${draft.runId} covers no result.json`);
  context.onEvent({
    type: 'run.ended',
    at: new Date(context.clock.now()).toISOString(),
    job_id: draft.jobId,
    item_id: draft.item.id,
    run_id: draft.runId,
    status: draft.status,
    message: draft.denial?.message ?? draft.error,
    ...(draft.status !== 'success' && draft.lastOutput?.length && { output: draft.lastOutput }),
  });
  return result;
}

/** The journal writes of a run, whether they were committed or dropped with it. */
function renderWrites({ staged = [] }: RunDraft): string | undefined {
  return staged.length === 0 ? undefined : renderDocument({ writes: staged.map(describeWrite) });
}

function receiptOf(
  draft: RunDraft,
  digests: ReadonlyMap<string, string>,
  context: WorkContext,
): UnsignedReceipt {
  const { item, before, workspace } = draft;
  const promoted = draft.status === 'success';
  return {
    id: draft.receiptId,
    run_id: draft.runId,
    agent_id: item.agent_id,
    work_item_id: item.id,
    work_item_hash: draft.itemHash,
    phase: draft.reconciliation === undefined ? 'tranche' : 'reconcile',
    ...draft.reconciliation,
    root: draft.root,
    git: { head: before.head, branch: before.branch, index_hash: before.indexHash },
    ...(promoted && landingOf(draft)),
    before_hash: before.hash,
    after_hash: promoted ? draft.afterHash : before.hash,
    toolchain_version: context.toolchainVersion,
    node_version: context.runtimeVersion,
    artifacts: receiptArtifacts(draft, digests),
    deltas: draft.deltas,
    tool_trace: draft.toolTrace,
    tool_source: draft.toolSource,
    ...(draft.tests && { test_log_path: join(runFolder(context.home, draft.runId), 'test.log') }),
    started_at: draft.startedAt,
    ...(draft.tests && { tests: testsOf(draft.tests) }),
    status: draft.status,
    ...(draft.code !== undefined && { code: draft.code }),
    ...(draft.error !== undefined && { error: draft.error }),
    ...(draft.denial && { denial: draft.denial }),
    budget: {
      ...item.budget,
      time_used_ms: draft.executionMs,
      within_estimate: draft.executionMs <= item.budget.time_estimate_ms,
      limits: { ...item.constraints },
      ...(draft.usage && { agent: draft.usage }),
    },
    workspace: JSON.parse(canonicalJson(workspace)) as JsonObject,
    ...(draft.leftovers && { leftovers: draft.leftovers }),
    ...(draft.approval && { approval: draft.approval }),
    ...(draft.revision && { revision: draft.revision }),
  };
}

function testsOf({ command, passed, exitCode, timedOut, durationMs, counts }: TestReport): JsonObject {
  return {
    command: redactText(command),
    passed,
    exit_code: exitCode,
    timed_out: timedOut,
    duration_ms: durationMs,
    ...(counts && { tests_passed: counts.passed, tests_failed: counts.failed }),
  };
}

function landingOf({ landing }: RunDraft): Partial<Pick<Receipt, 'landing'>> {
  const { branch, commit, parent } = landing ?? {};
  if (branch === undefined || commit === undefined || parent === undefined) return {};
  return { landing: { branch, commit, parent } };
}

function receiptArtifacts(
  { changes }: RunDraft,
  digests: ReadonlyMap<string, string>,
): readonly ReceiptArtifact[] {
  return artifactsOf(changes).map(({ contentHash, ...artifact }) => ({
    ...artifact,
    content_hash: contentHash || null,
    ...(artifact.path !== undefined && { sha256: digests.get(artifact.path) }),
  }));
}
