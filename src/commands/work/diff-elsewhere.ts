import { redactText } from '../../base/secrets/redact.ts';
import { Fault } from '../../base/fault.ts';
import { treePath } from '../../work/item/work-item.ts';
import { itemRef } from '../../work/fleet/item-refs.ts';
import { cutDiff, type RunDiff } from '../../work/run/diff-run.ts';
import type { WorkContext } from '../../work/work-context.ts';
import { diffCommit } from '../../work/workspace/remote/diff-commit.ts';
import { fetchRefs, hasCommit } from '../../work/workspace/remote/remote-refs.ts';
import { requireClone } from './follow-fleet.ts';
import { onlyOnHost, type RunElsewhere } from './find-run-elsewhere.ts';

/** Renders the changes of a run on another host, from the commit that it delivered to the remote. */
export async function diffElsewhere(
  run: RunElsewhere,
  work: WorkContext,
  paths: readonly string[] = [],
): Promise<RunDiff> {
  const { job, itemId, state, runId } = run;
  if (state?.commit === undefined) {
    if (state?.result?.status === 'success') return { files: [], text: '', truncated: false };
    throw onlyOnHost(run, 'it delivered no changes', 'diff');
  }
  const remote = requireClone(job, work);
  if (!(await hasCommit(work.workspace, remote.root, state.commit)))
    await fetchRefs(work.workspace, remote, [itemRef(job.id, itemId)]);
  const { files, text } = await diffCommit(work.workspace, remote.root, state.commit, paths.map(treePath));
  if (files.length === 0 && paths.length > 0)
    throw new Fault('E_NOT_FOUND', `Run "${runId}" did not change "${paths.join('", "')}".`, {
      hint: `"deed work diff ${runId} --stat" lists its files.`,
      details: { field: 'path', path: paths[0] ?? '' },
    });
  return { files, ...cutDiff(redactText(text)) };
}
