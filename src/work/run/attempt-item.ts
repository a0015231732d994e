import { Fault } from '../../base/fault.ts';
import { requireAgent } from '../executors/agent-config.ts';
import { chooseExecutor } from '../executors/choose-executor.ts';
import { hashItem } from '../item/hash-item.ts';
import { treePath, type WorkItem } from '../item/work-item.ts';
import { journalStarted } from '../journal/record-run-steps.ts';
import { openStagedJournal, readStagedWrites } from '../journal/use-staged-journal.ts';
import type { WorkContext } from '../work-context.ts';
import { openWorkspace } from '../workspace/open-workspace.ts';
import type { Tree } from '../workspace/tree.ts';
import type { Snapshot, Workspace } from '../workspace/workspace.ts';
import { describeRunIsolation } from './describe-run-isolation.ts';
import { endLeftovers } from './end-leftovers.ts';
import { executeAgent } from './execute-agent.ts';
import { failureOf, evaluateRun } from './evaluate-run.ts';
import { storeUnpromotedChanges } from './store-unpromoted-changes.ts';
import { keepSession } from './keep-session.ts';
import { assertWorkingDirectory, itemWorkspace, takeServiceFailure } from './item-workspace.ts';
import { policyOf } from './policy-of.ts';
import { assertProgramVisible } from './program-paths.ts';
import { assertInputs } from './required-files.ts';
import type { Revision } from './revision.ts';
import { NO_DELTAS, withIsolation, type RunDraft } from './run-draft.ts';
import { beginStep, writeRunState } from './run-state.ts';
import { runSetupCommand } from './run-setup-command.ts';
import { traceRun } from './trace-run.ts';
import { withPorts } from './with-ports.ts';
import { writeDraft } from './stored-draft.ts';
import { emitEvent } from './emit-event.ts';

/** Context of an attempt at an item. */
export interface AttemptOptions {
  readonly jobId: string;
  readonly runId: string;
  /** The state that the run starts from. */
  readonly snapshot: Snapshot;
  /** The tree of the snapshot. */
  readonly tree: Tree;
  readonly reruns: number;
  /** Set if an earlier run of the item was sent back. */
  readonly revision?: Revision | undefined;
}

/** A run that was evaluated, with its workspace if it can be promoted. */
export interface Attempt {
  readonly draft: RunDraft;
  readonly workspace?: Workspace | undefined;
}

/** Runs the agent of an item in a separate workspace and evaluates the result. Does not change the tree. Contract: does not throw. */
export async function attemptItem(
  item: WorkItem,
  context: WorkContext,
  options: AttemptOptions,
): Promise<Attempt> {
  const draft = draftOf(item, options, context.clock.now());
  writeRunState(context.home, options.runId, 'running');
  writeDraft(context.home, draft);
  emitEvent(context, draft, 'run.started');
  return traceRun(context, draft, (traced) =>
    withPorts(traced, draft, (begun) => attempt(begun, traced, options)),
  );
}

async function attempt(begun: RunDraft, context: WorkContext, options: AttemptOptions): Promise<Attempt> {
  const { item } = begun;
  let draft = begun;
  let opened: Workspace | undefined;
  try {
    const agent = requireAgent(context.agents, item.agent_id);
    draft = { ...draft, agent };
    const executor = chooseExecutor(agent, context.builtin);
    assertInputs(item, options.tree.root);
    assertWorkingDirectory(item, options.tree.root);
    draft = { ...draft, ...(await journalStarted(context, draft)) };
    if (draft.denial !== undefined) return { draft };
    const policy = policyOf(item, agent, context, options.tree.root);
    const workspace = await openWorkspace(context.workspace, {
      runId: options.runId,
      snapshot: options.snapshot,
      tree: options.tree,
      policy,
      mode: context.mode,
      declared: (item.output_files ?? []).map(treePath),
      allowUnsandboxed: context.allowUnsandboxed,
    });
    opened = workspace;
    if (workspace.sandboxed)
      assertProgramVisible(item.agent_id, agent, context, { policy, root: begun.root });
    draft = withIsolation(draft, workspace);
    emitEvent(context, draft, 'run.isolated', describeRunIsolation(workspace, item));
    const env = await openStagedJournal(context, workspace, draft);
    const place = itemWorkspace(workspace, item);
    await runSetupCommand(context, draft, place);
    beginStep(context.home, draft.runId, {
      step: 'agent',
      started_at: new Date(context.clock.now()).toISOString(),
    });
    const executed = await executeAgent(executor, place, context, draft, { env });
    keepSession(context, workspace, draft, executed.seen.usage);
    const failure = takeServiceFailure(workspace);
    if (failure !== undefined) throw new Fault('E_AGENT_FAILED', failure);
    draft = await endLeftovers(context, { ...draft, ...executed.seen });
    emitEvent(context, draft, 'run.executed', executed.stop?.reason ?? executed.result.error);
    if (executed.stop === undefined && executed.result.error === undefined)
      draft = { ...draft, ...(await readStagedWrites(context, workspace, draft)) };
    if (draft.denial === undefined)
      draft = await evaluateRun(draft, { ...executed, item, workspace, context });
  } catch (error) {
    draft = { ...draft, ...failureOf(error) };
  }
  if (draft.status === 'success') return { draft, workspace: opened };
  if (opened !== undefined) await storeUnpromotedChanges(context, draft, opened);
  await opened?.discard();
  return { draft };
}

export function draftOf(
  item: WorkItem,
  { jobId, runId, snapshot, reruns, revision, tree }: Omit<AttemptOptions, 'tree'> & { readonly tree?: Tree },
  nowMs: number,
): RunDraft {
  return {
    runId,
    receiptId: crypto.randomUUID(),
    jobId,
    item,
    itemHash: hashItem(item),
    agent: undefined,
    root: tree?.checkout?.root ?? snapshot.root,
    ...(tree?.checkout && { landing: { branch: tree.checkout.branch } }),
    startedAt: new Date(nowMs).toISOString(),
    ...(revision && { revision }),
    status: 'failure',
    before: {
      hash: snapshot.hash,
      head: snapshot.head,
      branch: snapshot.branch,
      indexHash: snapshot.indexHash,
    },
    afterHash: snapshot.hash,
    changes: [],
    deltas: NO_DELTAS,
    toolTrace: [],
    toolSource: 'none: the agent did not start',
    executionMs: 0,
    workspace: {
      mode: 'none',
      isolation: 'none',
      sandboxed: false,
      fallbacks: [],
      skipped: [],
      ignored: 0,
      drift: [],
      reruns,
    },
  };
}
