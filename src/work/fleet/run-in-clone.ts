import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { omit } from '../../base/omit.ts';
import { checkItem } from '../item/check-item.ts';
import type { WorkItem } from '../item/work-item.ts';
import type { RunOutcome } from '../journal/run-journal.ts';
import { createJob } from '../plan/create-job.ts';
import { isEnded } from '../plan/item-state.ts';
import { itemState } from '../plan/job.ts';
import { runJob } from '../plan/run-job.ts';
import { requireReceipt } from '../receipt/read-receipt.ts';
import { runFolder } from '../run/run-folder.ts';
import { readChangesRecord } from '../run/run-records.ts';
import type { WorkContext } from '../work-context.ts';
import { releaseCheckout, startAt } from '../workspace/landing/kept-checkout.ts';
import { rememberedTree } from '../workspace/remembered-tree.ts';
import type { Fleet } from './fleet.ts';
import { withFleetJournal } from './fleet-journal.ts';
import { itemBranch } from './item-branch.ts';
import type { ItemRecord } from './item-record.ts';
import { keepKnown } from './known-refs.ts';

/** What a run in the clone of this host left, in the members of an item's record. */
export type CloneRun = Required<Pick<ItemRecord, 'run_id' | 'root' | 'result' | 'proof'>> &
  Pick<ItemRecord, 'commit' | 'code' | 'outcome'>;

export interface CloneRequest {
  readonly item: WorkItem;
  readonly jobId: string;
  readonly base: string;
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** Refs in which the clone stores commits of the remote. */
  readonly known?: Readonly<Record<string, string>> | undefined;
  /** Keeps the session of a built-in agent for other workers. */
  readonly keepSession?: WorkContext['keepSession'];
  /** Agents besides the configured ones. */
  readonly agents?: WorkContext['agents'];
}

/**
 * Runs an item like `work run --branch`: on a separate branch that starts at the base, with the same workspace, limits, tests and
 * receipt. Undefined if it was interrupted. The branch is only a name; the commit is kept by the ref of the item.
 */
export async function runInClone(fleet: Fleet, request: CloneRequest): Promise<CloneRun | undefined> {
  const { remote, work } = fleet;
  const { item, jobId, base, attempt, signal } = request;
  const branch = itemBranch({ jobId, itemId: item.id, attempt });
  await keepKnown(remote, request.known ?? {});
  const job = createJob(work, [toStandaloneItem(item)], { root: remote.root, jobs: 1, branch });
  let outcome: RunOutcome | undefined;
  const runIds = new Set<string>();
  const context = withFleetJournal(
    {
      ...work,
      signal,
      landsElsewhere: startAt(base),
      keepSession: request.keepSession,
      agents: { ...work.agents, ...request.agents },
      onEvent: (event) => {
        if (event.type === 'run.started' && event.run_id !== undefined)
          fleet.activity.runStarted(jobId, item.id, event.run_id);
        work.onEvent(event);
      },
    },
    { local: job.id, fleet: jobId },
    (run) => {
      runIds.add(run.runId);
      if (run.status === 'success') outcome = run;
    },
  );
  const userTree = await rememberedTree(remote.workspace, remote.root);
  const ended = await runJob(job, context, userTree);
  for (const runId of runIds) await fleet.budget?.addRun(runId);
  const state = itemState(work.home, ended, item.id);
  if (!isEnded(state) || state.code === 'E_INTERRUPTED') return undefined;
  const { status, branch: ownBranch, commit } = state.result;
  const landed = status === 'success' && ownBranch === branch ? commit : undefined;
  const changes = readChangesRecord(work.home, requireReceipt(work.home, state.runId))?.changes ?? [];
  releaseCheckout(work.workspace, {
    jobId: job.id,
    userTree,
    state: state.result.output_hash,
    ...(landed !== undefined && { landed: { commit: landed, changes } }),
  });
  return {
    run_id: state.runId,
    root: remote.root,
    result: state.result,
    proof: readProof(work.home, state.runId),
    ...(state.code !== undefined && { code: state.code }),
    ...(landed !== undefined && { commit: landed }),
    ...(outcome && { outcome }),
  };
}

/** Returns the item as the only one of a job: without dependencies, labels and approval, which the queue and the integrator enforce. */
export function toStandaloneItem(item: WorkItem): WorkItem {
  return checkItem({ ...omit(item, 'approval', 'requires'), dependencies: [] });
}

export function readProof(home: string, runId: string): NonNullable<ItemRecord['proof']> {
  const read = (name: string): string => readFileSync(join(runFolder(home, runId), name), 'utf8');
  return { receipt: read('RECEIPT.json'), statement: read('receipt.dsse.json') };
}
