import { join } from 'node:path';
import type { Receipt } from '../receipt/receipt.ts';
import type { RunDraft } from '../run/run-draft.ts';
import { listIds, readDocument, readRunState, runFolder } from '../run/run-folder.ts';
import type { WorkWorld } from '../work-world.ts';
import { collectGarbage } from '../workspace/collect-garbage.ts';
import type { Change } from '../workspace/workspace.ts';
import { recoverRuns } from './recover-runs.ts';

export interface Collected {
  readonly snapshots: number;
  readonly objects: number;
  readonly workspaces: number;
  readonly bytes: number;
  readonly kept_runs: number;
}

const DAY_MS = 86_400_000;

/**
 * Frees what nothing needs: contents that only old runs would replay or take back, and workspaces of runs that have ended. Receipts
 * with their files are never touched, and neither is anything of a run that is open or waits for a person.
 */
export async function collectWork(world: WorkWorld, keepDays: number): Promise<Collected> {
  await recoverRuns(world);
  const oldest = world.clock.now() - keepDays * DAY_MS;
  const keepSnapshots = new Set<string>();
  const keepObjects = new Set<string>();
  const keepRuns = new Set<string>();
  for (const runId of listIds(world.home, 'run')) {
    const folder = runFolder(world.home, runId);
    const open = readRunState(world.home, runId) !== undefined;
    const receipt = readDocument<Receipt>(join(folder, 'RECEIPT.json'));
    if (!open && (receipt === undefined || Date.parse(receipt.timestamp_iso) < oldest)) continue;
    keepRuns.add(runId);
    const record =
      readDocument<{ replay?: { snapshotId: string }; changes: Change[] }>(join(folder, 'changes.json')) ??
      readDocument<RunDraft>(join(folder, 'draft.json'));
    if (record?.replay) keepSnapshots.add(record.replay.snapshotId);
    for (const { before, after } of record?.changes ?? [])
      for (const entry of [before, after]) if (entry?.hash) keepObjects.add(entry.hash);
  }
  const { snapshots, objects, workspaces, bytes } = await collectGarbage(world.workspace, {
    keepSnapshots,
    keepObjects,
    keepRuns,
  });
  return { snapshots, objects, workspaces, bytes, kept_runs: keepRuns.size };
}
