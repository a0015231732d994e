import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { removeStaleTemporaryFiles } from '../../system/remove-stale-temporary-files.ts';
import type { Receipt } from '../receipt/receipt.ts';
import type { RunDraft } from '../run/run-draft.ts';
import { listIds, runFolder } from '../run/run-folder.ts';
import { readRunState } from '../run/run-state.ts';
import { readDocument } from '../run/json-document.ts';
import type { WorkContext } from '../work-context.ts';
import { deleteUnused, type DeletedData } from '../workspace/delete-unused.ts';
import { readManifest } from '../workspace/manifest-store.ts';
import { parseHead } from '../workspace/manifest.ts';
import { readSnapshot, snapshotFolder } from '../workspace/read-snapshot.ts';
import type { Change, WorkspaceContext } from '../workspace/workspace.ts';
import { recoverRuns } from './recover-runs.ts';

/** Counts of deleted and kept data. */
export interface CollectedWork extends DeletedData {
  readonly kept_runs: number;
}

const DAY_MS = 86_400_000;

/**
 * Deletes data that no run needs: contents that only old runs would replay or roll back, and workspaces of ended runs. Receipts and
 * their files are never deleted, nor is anything of a run that is open or waits for approval.
 */
export async function collectWork(context: WorkContext, keepDays: number): Promise<CollectedWork> {
  await recoverRuns(context);
  const oldest = context.clock.now() - keepDays * DAY_MS;
  const keepSnapshots = new Set<string>();
  const keepObjects = new Set<string>();
  const keepRuns = new Set<string>();
  const openRuns = new Set<string>();
  for (const runId of listIds(context.home, 'run')) {
    const folder = runFolder(context.home, runId);
    const open = readRunState(context.home, runId) !== undefined;
    const receipt = readDocument<Receipt>(join(folder, 'RECEIPT.json'));
    if (!open && (receipt === undefined || Date.parse(receipt.timestamp_iso) < oldest)) continue;
    keepRuns.add(runId);
    if (open) openRuns.add(runId);
    const record =
      readDocument<{ replay?: { snapshotId: string }; changes: Change[] }>(join(folder, 'changes.json')) ??
      readDocument<RunDraft>(join(folder, 'draft.json'));
    if (record?.replay) keepSnapshot(context.workspace, record.replay.snapshotId, keepSnapshots, keepObjects);
    for (const { before, after } of record?.changes ?? [])
      for (const entry of [before, after]) if (entry?.hash) keepObjects.add(entry.hash);
  }
  const freed = await deleteUnused(context.workspace, {
    snapshots: keepSnapshots,
    objects: keepObjects,
    runs: keepRuns,
    open: openRuns,
  });
  for (const folder of ['outbox', 'jobs', ...listIds(context.home, 'job').map((id) => join('jobs', id))])
    removeStaleTemporaryFiles(join(context.home, folder));
  return { ...freed, kept_runs: keepRuns.size };
}

/** Keeps a snapshot together with the contents of its files. */
function keepSnapshot(
  context: WorkspaceContext,
  id: string,
  snapshots: Set<string>,
  objects: Set<string>,
): void {
  if (snapshots.has(id) || !existsSync(join(snapshotFolder(context), `${id}.json`))) return;
  snapshots.add(id);
  for (const head of readManifest(context, readSnapshot(context, id).hash).heads) {
    const { hash } = parseHead(head);
    if (hash) objects.add(hash);
  }
}
