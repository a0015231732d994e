import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { AgentConfig } from '../executors/agent-config.ts';
import { chooseExecutor } from '../executors/choose-executor.ts';
import { commandExecutor } from '../executors/command-executor.ts';
import type { Executor } from '../executors/executor.ts';
import { treePath, type WorkItem } from '../item/work-item.ts';
import { readCoveredFile, readReceipt } from '../receipt/read-receipt.ts';
import type { Receipt } from '../receipt/receipt.ts';
import { executeAgent } from '../run/execute-agent.ts';
import { itemWorkspace } from '../run/item-workspace.ts';
import { runSetupCommand } from '../run/run-setup-command.ts';
import { withPorts } from '../run/with-ports.ts';
import { ownProgramPaths } from '../run/own-program-paths.ts';
import { draftOf } from '../run/attempt-item.ts';
import type { Revision } from '../run/revision.ts';
import { newWorkId, RECORDING, requireFolder } from '../run/run-folder.ts';
import { readChangesRecord, readExecutedItem } from '../run/run-records.ts';
import type { WorkContext } from '../work-context.ts';
import { deleteScratchTree } from '../workspace/delete-tree-state.ts';
import { takeSnapshot } from '../workspace/take-snapshot.ts';
import { initReplayTree } from '../workspace/init-replay-tree.ts';
import { readObject } from '../workspace/object-store.ts';
import { committableChanges } from '../workspace/landing/committable-changes.ts';
import { openWorkspace } from '../workspace/open-workspace.ts';
import { restore } from '../workspace/restore.ts';
import type { Snapshot, TreeChange, Workspace } from '../workspace/workspace.ts';
import { firstDivergence } from './first-divergence.ts';

/**
 * `exact`: the run was repeated and gave the same state. `apply`: the recorded changes, applied to the recorded state, give the
 * recorded hash; this shows that the record is complete, not that the agent would do the same again. `none`: neither.
 */
export type ReplayGrade = 'exact' | 'apply' | 'none';

export interface Replay {
  readonly run_id: string;
  readonly grade: ReplayGrade;
  readonly expected_hash: string;
  /** The hash of the state after the replay. */
  readonly actual_hash: string;
  readonly matches: boolean;
  /** Why the grade is not better. */
  readonly reason: string | null;
  /** The first difference of the repeated run. */
  readonly divergence: string | null;
}

interface Recorded {
  readonly receipt: Receipt;
  readonly item: WorkItem;
  readonly agent: AgentConfig | undefined;
  readonly jobId: string;
  readonly revision: Revision | undefined;
  readonly changes: readonly TreeChange[];
  readonly snapshotId: string;
  readonly sourceDateEpoch: string;
  readonly recording: string | undefined;
}

/** Repeats a run in a scratch folder, with the same path and time, without network access. Does not change the tree. */
export async function replayRun(context: WorkContext, runId: string): Promise<Replay> {
  const recorded = readRecorded(context, runId);
  const replayId = newWorkId(context.home, 'run', context.clock.now());
  const folder = join(context.workspace.folder, `replay-${replayId}`);
  let workspace: Workspace | undefined;
  let scratch: Snapshot | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await restore(context.workspace, recorded.snapshotId, folder);
    await initReplayTree(context.workspace, folder);
    const snapshot = await takeSnapshot(context.workspace, folder);
    scratch = snapshot;
    const opened = await openWorkspace(context.workspace, {
      runId: replayId,
      snapshot,
      policy: { network: false, readPaths: ownProgramPaths(context, folder) },
      mountAt: recorded.receipt.root,
      mode: context.mode,
      allowUnsandboxed: context.allowUnsandboxed,
    });
    workspace = opened;
    if (snapshot.hash !== recorded.receipt.before_hash)
      return gradeOf(recorded, snapshot.hash, 'none', 'the state before the run could not be restored');
    const applied = await applyRecorded(recorded, opened, context);
    const executor = opened.sandboxed ? executorOf(recorded, context) : undefined;
    if (executor === undefined) {
      const why = opened.sandboxed
        ? 'its agent is neither a command nor a built-in agent with a recording'
        : 'this machine has no sandbox';
      return gradeOf(recorded, applied, 'apply', `the run was not repeated: ${why}`);
    }
    const { changes, hash, error } = await repeat(recorded, executor, opened, context);
    if (error !== undefined) return gradeOf(recorded, applied, 'apply', 'the repeated run failed', error);
    if (hash === recorded.receipt.after_hash) return gradeOf(recorded, hash, 'exact', null);
    return gradeOf(
      recorded,
      applied,
      'apply',
      'the repeated run gave a different state',
      firstDivergence(recorded.changes, changes),
    );
  } finally {
    await workspace?.discard();
    rmSync(folder, { recursive: true, force: true });
    if (scratch !== undefined) deleteScratchTree(context.workspace, scratch);
  }
}

function readRecorded(context: WorkContext, runId: string): Recorded {
  requireFolder(context.home, 'run', runId);
  const receipt = readReceipt(context.home, runId);
  const kept = receipt && readExecutedItem(context.home, receipt);
  const record = receipt && readChangesRecord(context.home, receipt);
  if (
    receipt?.status !== 'success' ||
    receipt.phase !== 'tranche' ||
    kept === undefined ||
    record === undefined
  ) {
    throw new Fault('E_CONFLICT', `Run "${runId}" did not succeed, so it cannot be replayed.`, {
      details: { field: 'id', id: runId, status: receipt?.status ?? 'open' },
    });
  }
  if (record.replay === undefined) {
    throw new Fault('E_NOT_FOUND', `The state before run "${runId}" was not stored.`, {
      hint: 'The tree changed during the promotion of the run; its receipt is still valid.',
      details: { field: 'id', id: runId },
    });
  }
  return {
    receipt,
    item: kept.item,
    agent: kept.agent,
    jobId: kept.job_id,
    revision: kept.revision,
    changes: record.changes,
    ...record.replay,
    recording: readCoveredFile(context.home, receipt, RECORDING)?.toString('utf8'),
  };
}

/** Returns the hash after the recorded changes; fails if their contents are no longer stored. */
async function applyRecorded(
  { changes }: Recorded,
  workspace: Workspace,
  context: WorkContext,
): Promise<string> {
  for (const { after } of changes) if (after?.type === 'file') readObject(context.workspace, after.hash);
  return workspace.hashAfter(changes);
}

/** The executor for a replay: a command, or the built-in agent with its recording. Undefined if it would need the network. */
function executorOf({ agent, recording }: Recorded, context: WorkContext): Executor | undefined {
  if (agent?.kind === 'command') return commandExecutor(agent.argv);
  if (agent?.kind !== 'builtin' || recording === undefined) return undefined;
  return chooseExecutor(agent, context.builtin, recording);
}

async function repeat(
  recorded: Recorded,
  executor: Executor,
  workspace: Workspace,
  context: WorkContext,
): Promise<{ changes: readonly TreeChange[]; hash: string; error: string | undefined }> {
  const { item, agent, receipt, jobId, revision } = recorded;
  const started = Number(recorded.sourceDateEpoch) * 1000;
  const names = { jobId, runId: receipt.run_id, snapshot: workspace.base, reruns: 0, revision };
  const draft = { ...draftOf(item, names, started), agent };
  const quiet: WorkContext = { ...context, onEvent: () => undefined };
  const { stop, result } = await withPorts(quiet, draft, async (ready) => {
    const place = itemWorkspace(workspace, item);
    try {
      await runSetupCommand(quiet, ready, place, { log: false });
    } catch (error) {
      // The setup command may need the network, which a replay does not have.
      if (!(error instanceof Fault) || error.code !== 'E_AGENT_FAILED') throw error;
      return { stop: undefined, result: { error: error.message } };
    }
    return executeAgent(executor, place, quiet, ready, { log: false });
  });
  const { changes: found } = await workspace.diff({ declared: (item.output_files ?? []).map(treePath) });
  const changes = receipt.landing === undefined ? found : committableChanges(found);
  return { changes, hash: await workspace.hashAfter(changes), error: stop?.reason ?? result.error };
}

function gradeOf(
  { receipt }: Recorded,
  actual: string,
  grade: ReplayGrade,
  reason: string | null,
  divergence: string | null = null,
): Replay {
  const matches = actual === receipt.after_hash;
  return {
    run_id: receipt.run_id,
    grade: matches ? grade : 'none',
    expected_hash: receipt.after_hash,
    actual_hash: actual,
    matches,
    reason,
    divergence,
  };
}
