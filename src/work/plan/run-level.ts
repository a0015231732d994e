import { ownMember } from '../../base/own-member.ts';
import { monotonicMs } from '../../system/monotonic-ms.ts';
import { dependenciesOf } from '../item/resolve-dependencies.ts';
import type { WorkItem } from '../item/work-item.ts';
import { attemptItem, draftOf, type Attempt, type AttemptOptions } from '../run/attempt-item.ts';
import { finishRun } from '../run/finish-run.ts';
import type { Revision } from '../run/revision.ts';
import { newWorkId } from '../run/run-folder.ts';
import { promoteRun } from '../run/promote-run.ts';
import { emitEvent } from '../run/emit-event.ts';
import type { WorkContext } from '../work-context.ts';
import { takeTreeSnapshot } from '../workspace/take-snapshot.ts';
import type { Tree } from '../workspace/tree.ts';
import type { Snapshot, SnapshotOptions } from '../workspace/workspace.ts';
import { findDuplicate } from './find-duplicate.ts';
import { isEnded } from './item-state.ts';
import { itemState, promotedItems, type Job } from './job.ts';
import { promotedPaths, reopenResult, storeResult } from './stored-results.ts';
import { waitForApproval } from './wait-for-approval.ts';

/** How often the progress of reading a large tree is shown. */
const SHOW_PROGRESS_MS = 2000;

/** The job of a level, in its current state. */
export interface LevelHost {
  readonly context: WorkContext;
  readonly job: () => Job;
  /** Records which run works on an item, before the run starts. */
  readonly recordRun: (itemId: string, runId: string) => void;
}

/**
 * Runs the items of a level that are not done. All start from the same state and are evaluated separately; a result is stored at once.
 * When all are done they are promoted in the order of their ids. A run whose paths were changed by an earlier run of the level is
 * repeated once, on the new state.
 */
export async function runLevel(
  level: readonly WorkItem[],
  runnable: readonly WorkItem[],
  tree: Tree,
  host: LevelHost,
): Promise<void> {
  const { context } = host;
  const snapshot = await readBase(tree, host);
  if (snapshot === undefined) return;
  const attempts = await inParallel(runnable, host.job().jobs, async (item) => {
    const stored = await reopenResult(context, ownMember(host.job().runs, item.id) ?? '');
    return stored ?? runItem(item, { snapshot, tree }, host);
  });
  const promoted = promotedPaths(context.home, host.job(), level);
  for (const attempt of attempts) {
    if (attempt === undefined) continue;
    if (context.signal.aborted) {
      // The results are stored; resuming the job promotes them.
      attempt.workspace?.close();
      continue;
    }
    let next: Attempt | undefined = attempt;
    for (let reruns = 1; next?.workspace !== undefined; reruns += 1) {
      if (next.draft.item.approval === true && next.draft.approval === undefined) {
        await waitForApproval(next, context);
        break;
      }
      const promotion = await promoteRun(next.draft, next.workspace, context, {
        neighbours: reruns > 1 ? new Set() : promoted,
        earlier: promotedItems(context.home, host.job()),
      });
      if (promotion.kind === 'ended') {
        if (promotion.draft.status === 'success')
          for (const { path } of promotion.draft.changes) promoted.add(path);
        break;
      }
      emitEvent(
        context,
        next.draft,
        'run.rerun',
        `another run of the level changed ${promotion.paths.join(', ')}`,
      );
      const { snapshot: now } = await takeTreeSnapshot(context.workspace, tree);
      next = await runItem(next.draft.item, { snapshot: now, tree }, host, reruns);
    }
  }
}

/** Reads the tree on which the items of a level start; undefined if the job was interrupted meanwhile, and its items stay pending. */
async function readBase(tree: Tree, { context, job }: LevelHost): Promise<Snapshot | undefined> {
  let shownAt = monotonicMs();
  const onProgress: SnapshotOptions['onProgress'] = ({ files, total }) => {
    context.signal.throwIfAborted();
    if (monotonicMs() - shownAt < SHOW_PROGRESS_MS) return;
    shownAt = monotonicMs();
    const at = new Date(context.clock.now()).toISOString();
    context.onEvent({ type: 'tree.read', at, job_id: job().id, message: `${files} of ${total} files` });
  };
  try {
    return (await takeTreeSnapshot(context.workspace, tree, { onProgress })).snapshot;
  } catch (error) {
    if (context.signal.aborted) return undefined;
    throw error;
  }
}

/** Runs one item. Returns undefined if it was denied, was a duplicate, or failed. */
async function runItem(
  item: WorkItem,
  { snapshot, tree }: Pick<AttemptOptions, 'snapshot' | 'tree'>,
  host: LevelHost,
  reruns = 0,
): Promise<Attempt | undefined> {
  const { context } = host;
  // Items that have not started stay pending and run when the job is resumed.
  if (context.signal.aborted) return undefined;
  const job = host.job();
  const runId = newWorkId(context.home, 'run', context.clock.now());
  const revision = revisionOf(job, item.id);
  const options = { jobId: job.id, runId, snapshot, tree, reruns, revision };
  const failed = dependenciesOf(item, job.items).filter((id) => {
    const state = itemState(context.home, job, id);
    return isEnded(state) && state.status !== 'success';
  });
  if (failed.length > 0) {
    host.recordRun(item.id, runId);
    const message = `Dependency failed: ${failed.join(', ')}`;
    await finishRun(context, {
      ...draftOf(item, options, context.clock.now()),
      status: 'denied',
      code: 'E_DENIED',
      denial: { reason: 'dependency_failed', message },
    });
    return undefined;
  }
  // Each attempt at an item of a queue has its own name, so it does not count as a duplicate.
  const mayRepeat = reruns === 0 && revision === undefined && context.landsElsewhere === undefined;
  const duplicate = mayRepeat ? findDuplicate(context, item, snapshot, tree) : undefined;
  if (duplicate !== undefined) {
    host.recordRun(item.id, duplicate);
    return undefined;
  }
  return attemptWithRetries(item, host, options);
}

/** Runs an item again after a failure, as often as `retries` of the item allows. Every attempt is a separate run with its own receipt. */
async function attemptWithRetries(
  item: WorkItem,
  host: LevelHost,
  options: AttemptOptions,
): Promise<Attempt | undefined> {
  const { context } = host;
  const { retries = 0 } = item;
  for (let done = 0; ; done += 1) {
    const runId = done === 0 ? options.runId : newWorkId(context.home, 'run', context.clock.now());
    host.recordRun(item.id, runId);
    const attempt = await attemptItem(item, context, { ...options, runId });
    if (attempt.workspace !== undefined) {
      storeResult(context, attempt);
      return attempt;
    }
    const { draft } = attempt;
    await finishRun(context, draft);
    if (done >= retries || !isRetried(draft) || context.signal.aborted) return undefined;
    emitEvent(context, draft, 'run.retried', `retry ${done + 1} of ${retries}: ${draft.error ?? ''}`);
  }
}

/** Whether a run is retried. A denied run is not: it would be denied again. */
function isRetried({ status, code }: Attempt['draft']): boolean {
  return (status === 'failure' || status === 'timeout') && code !== 'E_INTERRUPTED';
}

/** Returns the revision for the next run of an item that was sent back. Later runs of the item have that revision too, until it is sent back again. */
function revisionOf({ revisions, attempts }: Job, itemId: string): Revision | undefined {
  const revision = ownMember(revisions, itemId);
  return (
    revision && { ...revision, attempt: (ownMember(attempts, itemId)?.length ?? revision.attempt - 1) + 1 }
  );
}

/** Maps a list with limited concurrency; results are in the order of the list. */
async function inParallel<T, R>(
  list: readonly T[],
  max: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < list.length) {
      const index = next;
      next += 1;
      results[index] = await work(list[index] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(max, list.length) }, worker));
  return results;
}
