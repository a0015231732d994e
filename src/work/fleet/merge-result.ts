import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { omit } from '../../base/omit.ts';
import { checkAgents } from '../executors/agent-config.ts';
import type { WorkItem } from '../item/work-item.ts';
import { removeFolder } from '../../system/remove-folder.ts';
import type { CommitObject } from '../workspace/objects/commit-object.ts';
import { isAncestor } from '../workspace/remote/commit-history.ts';
import { mergeTrees, readCommits, rewriteCommit, writePatch } from '../workspace/remote/merge-commit.ts';
import { fetchRefs } from '../workspace/remote/remote-refs.ts';
import type { Fleet } from './fleet.ts';
import { itemRef } from './item-refs.ts';
import { runInClone, type CloneRun } from './run-in-clone.ts';

/** The commit that a branch moves to; or why the result conflicts with the branch or fails its tests there. */
export type MergeOutcome =
  | { readonly kind: 'merged'; readonly commit: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  /** The branch no longer has the commit that the run started from. */
  | { readonly kind: 'rewound' }
  | { readonly kind: 'failed'; readonly run: CloneRun }
  | { readonly kind: 'interrupted' };

export interface MergeRequest {
  readonly jobId: string;
  readonly item: WorkItem;
  /** The commit of the run, and the tip of the branch. */
  readonly commit: string;
  readonly tip: string;
  /** Test commands of items of the job that were promoted before. */
  readonly earlierTests: readonly string[];
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/** The agent that applies the merged changes; it runs like any other, in a sandbox. */
const MERGE_AGENT = 'deed-merge';

/**
 * Brings the commit of a run onto the tip of its branch. If the tip is what the run started from, it was tested there. Otherwise the
 * changes are merged and applied in a run of the integrator, which checks limits and tests on the merged tree before the branch moves.
 */
export async function mergeResult(fleet: Fleet, request: MergeRequest): Promise<MergeOutcome> {
  const { workspace, root } = fleet.remote;
  const { commit, tip } = request;
  const [result, before] = await requireCommits(fleet, request);
  if (result.parents.length === 1 && result.parents[0] === tip) return { kind: 'merged', commit };
  // A merge would bring back what was removed from the branch.
  if (!(await isBased(fleet, result, { tip, before }))) return { kind: 'rewound' };
  const merged = await mergeTrees(workspace, root, { tip, commit });
  if (merged.kind === 'conflict') return merged;
  // Others made the same change.
  if (merged.tree === before.tree) return { kind: 'merged', commit: tip };
  const move = async (tree: string): Promise<MergeOutcome> => ({
    kind: 'merged',
    commit: await rewriteCommit(workspace, root, result, { parent: tip, tree }),
  });
  // Nothing to test: like a result on the tip, it was checked where it ran, and the merge adds no change to it.
  if (testsOf(request).length === 0) return move(merged.tree);
  const run = await testMerged(fleet, request, merged.tree);
  if (run === undefined) return { kind: 'interrupted' };
  if (run.result.status !== 'success' || run.commit === undefined) return { kind: 'failed', run };
  const [tested] = await requireCommits(fleet, { ...request, commit: run.commit });
  return move(tested.tree);
}

/** Whether the branch still has the commit that a run started from; usually it is the one before the tip. */
async function isBased(
  { remote: { workspace, root } }: Fleet,
  { parents }: CommitObject,
  { tip, before }: { readonly tip: string; readonly before: CommitObject },
): Promise<boolean> {
  for (const parent of parents) {
    if (before.parents.includes(parent)) continue;
    if (!(await isAncestor(workspace, root, { commit: parent, descendant: tip }))) return false;
  }
  return true;
}

/** The commits of the run and of the tip; they come with the refs that were read before, unless the clone is incomplete. */
async function requireCommits(
  { remote }: Fleet,
  { jobId, item, commit, tip }: MergeRequest,
): Promise<readonly [CommitObject, CommitObject]> {
  const { workspace, root } = remote;
  const known = await readCommits(workspace, root, [commit, tip]);
  if (known !== undefined) return known;
  await fetchRefs(workspace, remote, [itemRef(jobId, item.id)]);
  const found = await readCommits(workspace, root, [commit, tip]);
  if (found !== undefined) return found;
  throw new Fault('E_DAMAGED', `The remote has no commit ${commit} in the ref of ${item.id}.`, {
    hint: 'Another program wrote the ref. Delete it to start the item again.',
    details: { commit, item_id: item.id },
  });
}

async function testMerged(fleet: Fleet, request: MergeRequest, tree: string): Promise<CloneRun | undefined> {
  const { remote } = fleet;
  const folder = mkdtempSync(join(remote.workspace.temporaryFolder, 'deed-merge-'));
  const patch = join(folder, 'merged.patch');
  try {
    await writePatch(remote.workspace, remote.root, { from: request.tip, to: tree, file: patch });
    const argv = ['git', '-c', 'safe.directory=*', 'apply', '--binary', '--whitespace=nowarn', patch];
    const agents = checkAgents({ [MERGE_AGENT]: { kind: 'command', argv, read_paths: [folder] } });
    const { jobId, tip: base, attempt, signal } = request;
    // The integrator's run belongs to no task: the outcome of the item is recorded once it is promoted.
    const quiet = { ...fleet, work: { ...fleet.work, journal: undefined, stagedJournal: undefined } };
    return await runInClone(quiet, { item: mergeItem(request), jobId, base, attempt, signal, agents });
  } finally {
    removeFolder(folder);
  }
}

/** The item of the merge: the limits and rules of the original, and the tests of all that must still work. */
function mergeItem(request: MergeRequest): WorkItem {
  const { item, commit, tip } = request;
  return {
    ...omit(item, 'input_files', 'retries', 'task_id', 'approval'),
    agent_id: MERGE_AGENT,
    description: `Merge ${commit} of ${item.id} onto ${tip}`,
    constraints: { ...item.constraints, max_tool_ops: Math.max(1, item.constraints.max_tool_ops) },
    test_command: testsOf(request)
      .map((command) => `(${command}\n)`)
      .join(' && '),
  };
}

function testsOf({ item, earlierTests }: MergeRequest): readonly string[] {
  return [...new Set([...(item.test_command ? [item.test_command] : []), ...earlierTests])];
}
