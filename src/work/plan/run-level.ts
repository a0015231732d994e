import { join } from 'node:path';
import { dependenciesOf } from '../item/resolve-dependencies.ts';
import type { WorkItem } from '../item/work-item.ts';
import { attemptItem, draftOf, type Attempt, type AttemptOptions } from '../run/attempt-item.ts';
import { finishRun } from '../run/finish-run.ts';
import { tellWaits } from '../journal/tell-journal.ts';
import { newId, runFolder } from '../run/run-folder.ts';
import { writeRunState } from '../run/run-state.ts';
import { writeDocument } from '../run/json-document.ts';
import { settleRun } from '../run/settle-run.ts';
import { tell } from '../run/tell.ts';
import type { WorkContext } from '../work-context.ts';
import { freezeTree } from '../workspace/freeze.ts';
import type { Tree } from '../workspace/tree.ts';
import { findDuplicate } from './find-duplicate.ts';
import { isEnded, itemState, type Job } from './job.ts';

/** The job that a level belongs to, as it is at the moment. */
export interface LevelHost {
  readonly context: WorkContext;
  readonly job: () => Job;
  /** Notes down which run works on an item, before it does. */
  readonly begin: (itemId: string, runId: string) => void;
}

/**
 * Runs the items of a level. All start from the same state; each is judged on its own; then they are promoted in the order of their
 * ids. One that changed what a neighbour changed before it is run once more, on the state that the neighbour left.
 */
export async function runLevel(level: readonly WorkItem[], tree: Tree, host: LevelHost): Promise<void> {
  const { context } = host;
  const { snapshot } = await freezeTree(context.workspace, tree);
  const attempts = await inParallel(level, host.job().jobs, async (item) =>
    begin(item, { snapshot, tree }, host),
  );
  const promoted = new Set<string>();
  for (const attempt of attempts) {
    if (attempt === undefined) continue;
    let next: Attempt | undefined = attempt;
    for (let reruns = 1; next?.workspace !== undefined; reruns += 1) {
      if (next.draft.item.approval === true && next.draft.approval === undefined) {
        await askForApproval(next, context);
        break;
      }
      const settled = await settleRun(next.draft, next.workspace, context, reruns > 1 ? new Set() : promoted);
      if (settled.kind === 'ended') {
        if (settled.draft.status === 'success')
          for (const { path } of settled.draft.changes) promoted.add(path);
        break;
      }
      tell(context, next.draft, 'run.rerun', `a neighbour changed ${settled.paths.join(', ')}`);
      const { snapshot: now } = await freezeTree(context.workspace, tree);
      next = await begin(next.draft.item, { snapshot: now, tree }, host, reruns);
    }
  }
}

/** Tries one item; nothing to promote when it is denied beforehand, was done before, or did not pass. */
async function begin(
  item: WorkItem,
  { snapshot, tree }: Pick<AttemptOptions, 'snapshot' | 'tree'>,
  host: LevelHost,
  reruns = 0,
): Promise<Attempt | undefined> {
  const { context } = host;
  // What has not begun stays open for whoever goes on with the job.
  if (context.signal.aborted) return undefined;
  const job = host.job();
  const runId = newId('run', context.clock.now());
  const options = { jobId: job.id, runId, snapshot, tree, reruns };
  const failed = dependenciesOf(item, job.items).filter((id) => {
    const state = itemState(context.home, job, id);
    return isEnded(state) && state.status !== 'success';
  });
  if (failed.length > 0) {
    host.begin(item.id, runId);
    const message = `Dependency failed: ${failed.join(', ')}`;
    await finishRun(context, {
      ...draftOf(item, options, context.clock.now()),
      status: 'denied',
      code: 'E_DENIED',
      denial: { reason: 'dependency_failed', message },
    });
    return undefined;
  }
  const duplicate = reruns === 0 ? findDuplicate(context, item, snapshot) : undefined;
  if (duplicate !== undefined) {
    host.begin(item.id, duplicate);
    return undefined;
  }
  host.begin(item.id, runId);
  const attempt = await attemptItem(item, context, options);
  if (attempt.workspace !== undefined) return attempt;
  await finishRun(context, attempt.draft);
  return undefined;
}

/** Leaves the work where it is until a person has looked at it. */
async function askForApproval({ draft, workspace }: Attempt, context: WorkContext): Promise<void> {
  writeDocument(join(runFolder(context.home, draft.runId), 'draft.json'), draft);
  writeRunState(context.home, draft.runId, 'waiting');
  workspace?.close();
  await tellWaits(context, draft);
  tell(context, draft, 'run.waiting');
}

/** Works through a list, so many at once; results in the order of the list. */
async function inParallel<T, R>(
  list: readonly T[],
  most: number,
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
  await Promise.all(Array.from({ length: Math.min(most, list.length) }, worker));
  return results;
}
