import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../base/digest.ts';
import { Fault } from '../../base/fault.ts';
import { readFileIfPresent } from '../../system/durable-file.ts';
import type { AgentConfig } from '../executors/agent-config.ts';
import { chooseExecutor } from '../executors/choose-executor.ts';
import { commandExecutor } from '../executors/command-executor.ts';
import type { Executor } from '../executors/executor.ts';
import { WORK_LIMITS } from '../work-limits.ts';
import { treePath, type WorkItem } from '../item/work-item.ts';
import type { Receipt } from '../receipt/receipt.ts';
import { executeAgent } from '../run/execute-agent.ts';
import { ownProgramPaths } from '../run/own-program-paths.ts';
import { draftOf } from '../run/attempt-item.ts';
import { newId, RECORDING, requireFolder } from '../run/run-folder.ts';
import { readDocument } from '../run/json-document.ts';
import type { WorkContext } from '../work-context.ts';
import { freeze } from '../workspace/freeze.ts';
import { makeTree } from '../workspace/make-tree.ts';
import { readObject } from '../workspace/object-store.ts';
import { openWorkspace } from '../workspace/open-workspace.ts';
import { restore } from '../workspace/restore.ts';
import type { Change, Workspace } from '../workspace/workspace.ts';
import { firstDivergence } from './first-divergence.ts';

/**
 * `exact`: the work was done again and gave the same state. `apply`: the recorded change, put on the recorded state, gives the
 * recorded hash; that shows the record is whole, not that the agent would do the same again. `none`: neither holds.
 */
export type ReplayGrade = 'exact' | 'apply' | 'none';

export interface Replay {
  readonly run_id: string;
  readonly grade: ReplayGrade;
  readonly expected_hash: string;
  /** The state that the replay came to. */
  readonly actual_hash: string;
  readonly matches: boolean;
  /** Why the grade is not better. */
  readonly reason: string | null;
  /** Where the second run first went another way. */
  readonly divergence: string | null;
}

interface Recorded {
  readonly receipt: Receipt;
  readonly item: WorkItem;
  readonly agent: AgentConfig | undefined;
  readonly jobId: string;
  readonly changes: readonly Change[];
  readonly snapshotId: string;
  readonly sourceDateEpoch: string;
  readonly recording: string | undefined;
}

/** Does a run over again in a throwaway folder, at the path and in the time it saw then, without a network. The tree is not touched. */
export async function replayRun(context: WorkContext, runId: string): Promise<Replay> {
  const recorded = readRecorded(context, runId);
  const replayId = newId('run', context.clock.now());
  const folder = join(context.workspace.folder, `replay-${replayId}`);
  let workspace: Workspace | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    restore(context.workspace, recorded.snapshotId, folder);
    await makeTree(context.workspace, folder);
    const snapshot = await freeze(context.workspace, folder);
    const opened = await openWorkspace(context.workspace, {
      runId: replayId,
      snapshot,
      policy: { network: false, readPaths: ownProgramPaths(context) },
      mountAt: recorded.receipt.root,
      ...(context.mode && { mode: context.mode }),
    });
    workspace = opened;
    if (snapshot.hash !== recorded.receipt.before_hash)
      return gradeOf(recorded, snapshot.hash, 'none', 'the state before the run could not be restored');
    const applied = await applyRecorded(recorded, opened, context);
    const executor = opened.sandboxed ? executorOf(recorded, context) : undefined;
    if (executor === undefined) {
      const why = opened.sandboxed
        ? 'its agent is neither a plain command nor one whose answers were recorded'
        : 'this machine has no sandbox to do it in';
      return gradeOf(recorded, applied, 'apply', `the work was not done again: ${why}`);
    }
    const { changes, hash, error } = await repeat(recorded, executor, opened, context);
    if (error !== undefined)
      return gradeOf(recorded, applied, 'apply', 'doing the work again did not succeed', error);
    if (hash === recorded.receipt.after_hash) return gradeOf(recorded, hash, 'exact', null);
    return gradeOf(
      recorded,
      applied,
      'apply',
      'doing the work again gave another state',
      firstDivergence(recorded.changes, changes),
    );
  } finally {
    await workspace?.discard();
    rmSync(folder, { recursive: true, force: true });
  }
}

function readRecorded(context: WorkContext, runId: string): Recorded {
  const folder = requireFolder(context.home, 'run', runId);
  const receipt = readDocument<Receipt>(join(folder, 'RECEIPT.json'));
  const kept = readDocument<{ item: WorkItem; agent?: AgentConfig; job_id: string }>(
    join(folder, 'item.json'),
  );
  const record = readDocument<{
    replay?: { snapshotId: string; sourceDateEpoch: string };
    changes: Change[];
  }>(join(folder, 'changes.json'));
  if (
    receipt?.status !== 'success' ||
    receipt.phase !== 'tranche' ||
    kept === undefined ||
    record === undefined
  ) {
    throw new Fault('E_CONFLICT', `The run "${runId}" did not succeed, so there is nothing to replay.`, {
      details: { field: 'id', id: runId, status: receipt?.status ?? 'open' },
    });
  }
  if (record.replay === undefined) {
    throw new Fault('E_NOT_FOUND', `The state before the run "${runId}" was not kept.`, {
      hint: 'Somebody changed the tree while the run was promoted; its receipt still holds.',
      details: { field: 'id', id: runId },
    });
  }
  return {
    receipt,
    item: kept.item,
    agent: kept.agent,
    jobId: kept.job_id,
    changes: record.changes,
    ...record.replay,
    recording: readRecording(folder, receipt),
  };
}

/** Reads what the agent heard then; a recording that is not the one that was signed for would show nothing. */
function readRecording(folder: string, receipt: Receipt): string | undefined {
  const proof = receipt.proof_artifacts.find(({ path }) => path === RECORDING);
  if (proof === undefined) return undefined;
  const text = readFileIfPresent(join(folder, RECORDING), 2 * WORK_LIMITS.recordingBytes);
  if (text !== undefined && sha256(text) === proof.sha256) return text;
  throw new Fault(
    'E_INTEGRITY',
    `${RECORDING} of ${receipt.run_id} is ${text === undefined ? 'missing' : 'changed'}.`,
    {
      hint: 'Restore it from a backup; "deed receipt verify" tells what else was changed.',
      details: { run: receipt.run_id, file: RECORDING },
    },
  );
}

/** Tells the state that the recorded change gives, after making sure that its contents are still here. */
async function applyRecorded(
  { changes }: Recorded,
  workspace: Workspace,
  context: WorkContext,
): Promise<string> {
  for (const { after } of changes) if (after?.type === 'file') readObject(context.workspace, after.hash);
  return workspace.hashAfter(changes);
}

/** Who does the work again: a command by itself, the built-in agent with what it heard then. Nobody where that would ask the context. */
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
): Promise<{ changes: readonly Change[]; hash: string; error: string | undefined }> {
  const { item, agent, receipt, jobId } = recorded;
  const started = Number(recorded.sourceDateEpoch) * 1000;
  const names = { jobId, runId: receipt.run_id, snapshot: workspace.base, reruns: 0 };
  const draft = { ...draftOf(item, names, started), agent };
  const quiet: WorkContext = { ...context, onEvent: () => undefined };
  const { stop, end } = await executeAgent(executor, workspace, quiet, draft, { log: false });
  const { changes } = await workspace.diff({ declared: (item.output_files ?? []).map(treePath) });
  return { changes, hash: await workspace.hashAfter(changes), error: stop?.reason ?? end.error };
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
